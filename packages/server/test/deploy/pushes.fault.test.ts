import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectGitHubApp } from '../../testing/git-host/connect-github-app.ts'
import type { HostRepo, Style } from '../../testing/git-host/model.ts'
import { deliveryHeaders, pushPayload } from '../../testing/git-host/payloads.ts'
import { type GitHostServer, startGitHost } from '../../testing/git-host/start-git-host.ts'
import { type SshServer, startSshServer } from '../../testing/harness/ssh-server.ts'
import { type DeployLab, openDeployLab, until, webFiles } from '../../testing/labs/deploy-lab.ts'

type Way = { name: string; style: Style; via: 'app' | 'token' }
type Connected = Way & { host: GitHostServer; repo: HostRepo; accountId: number; app: { id: number; project_id: number } }
/** Where the host sends deliveries, and what it signs them with. */
type Target = { url: string; secret: string; installation?: number }

const WAYS: Way[] = [
  { name: 'a GitHub App', style: 'github', via: 'app' },
  { name: 'a token of GitHub', style: 'github', via: 'token' },
  { name: 'GitLab', style: 'gitlab', via: 'token' },
  { name: 'Gitea', style: 'gitea', via: 'token' },
]
const TOKEN = 'a-good-token'
const AUTOMATIC = new Set(['webhook', 'hook', 'poll'])
const OTHERS = 210 // more than two pages of any host

let lab: DeployLab
let sshd: SshServer
let hosts: GitHostServer[]
beforeAll(async () => {
  hosts = await Promise.all(WAYS.map(async ({ style }) => await startGitHost(style)))
  sshd = await startSshServer()
  const tuning = { gitHooksMs: 100, sourcePollMs: 500 }
  lab = await openDeployLab({ runs: 'as a process', env: hosts[0]?.env ?? {}, tuning })
  await lab.owner.call('settings.update', { dashboardDomain: 'berth.example.com' })
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await sshd[Symbol.asyncDispose]()
  for (const host of hosts) await host[Symbol.asyncDispose]()
})

async function accountOf(host: GitHostServer, { style, via }: Way): Promise<number> {
  const { owner, berth, project } = lab
  if (via === 'token') return (await owner.call('git.createAccount', { provider: style, token: TOKEN, baseUrl: host.origin })).id
  host.model.nextInstall.repositories = [...host.model.repositories.keys()]
  const { end } = await connectGitHubApp({ host, berth, person: owner }, { projectId: project.id })
  expect(end).toBe(`/projects/${project.id}/git?github=connected`)
  return (await owner.call('git.accounts')).find(({ baseUrl }) => baseUrl === host.origin)?.id ?? 0
}

/** From no account to an app of a private repository. */
async function connect(way: Way, host: GitHostServer): Promise<Connected> {
  const { owner, project } = lab
  const robot = host.addPerson('robot', TOKEN)
  const repo = await host.addRepository('acme/shop', [robot], webFiles('v1'))
  for (let n = 0; n < OTHERS; n += 1) await host.addRepository(`acme/other-${n}`, [robot])
  const accountId = await accountOf(host, way)
  expect([way.name, (await owner.call('git.repos', { installationId: accountId })).length]).toEqual([way.name, OTHERS + 1])
  expect(host.requests.filter(({ url }) => /[?&]page=3\b/.test(url)).length).toBe(1)
  const source = { gitProviderId: accountId, gitRepository: 'acme/shop', gitBranch: 'main', pollSource: false }
  const app = await owner.call('apps.create', { projectId: project.id, name: way.name, port: 8080, ...source })
  return { ...way, host, repo, accountId, app }
}

async function targetOf({ host, via }: Connected): Promise<Target> {
  const [gitHubApp] = host.model.apps
  if (gitHubApp && via === 'app')
    return { url: gitHubApp.hookUrl, secret: gitHubApp.webhookSecret, installation: gitHubApp.installations[0]?.id ?? 0 }
  const [hook] = await until(
    () => host.model.hooks,
    ({ length }) => length === 1,
  )
  return hook ?? { url: '', secret: '' }
}

/** Pushes, and gives what delivers this push under an id: the deployments that were answered. */
async function push(way: Connected) {
  const { host, repo } = way
  const before = repo.git?.hash ?? ''
  const commit = (await repo.git?.commit({ files: webFiles('v2') })) ?? ''
  const { url, secret, ...by } = await targetOf(way)
  const body = JSON.stringify(pushPayload(host.model, { repo, before, commit, ...by }))
  const deliver = async (delivery: string) => {
    const headers = deliveryHeaders(host.model, { secret, body, id: delivery })
    const { status, json } = await lab.berth.raw('POST', `/api/webhooks/git${new URL(url).search}`, { body, headers })
    expect([way.name, status]).toEqual([way.name, 200])
    return (json.data as { deployments: number[] }).deployments.join() // the schema of the answer, checked elsewhere
  }
  return { way, commit, deliver, answers: new Set<string>() }
}

/** GitLab signs nothing, so there only the id says that a delivery is the same one. */
function idsOf({ style }: Way): string[] {
  return style === 'gitlab' ? ['a', 'a', 'a', 'a', 'a'] : ['a', 'a', 'a', 'b', 'c']
}

async function expectFirstDeploy({ name, repo, app }: Connected): Promise<void> {
  const { status, error_message, commit_hash } = await lab.deploy(app.id)
  expect({ name, status, error_message, commit_hash }).toEqual({ name, status: 'success', error_message: '', commit_hash: repo.git?.hash })
  expect([name, await lab.visit(app)]).toEqual([name, 'v1'])
  const hidden = (await repo.git?.commit({ files: webFiles('hidden'), branch: 'secret' })) ?? ''
  const refused = await lab.owner.call('deployments.create', { appId: app.id, commit: hidden })
  expect([name, (await lab.ended(refused.id)).error_message]).toEqual([name, expect.stringContaining('not on the branch main')])
}

/** An app over ssh, deployed with its key. No host delivers its pushes, so its branch is polled. */
async function deployOverSsh() {
  const { owner, project } = lab
  const repository = await lab.git.createRepository({ files: webFiles('v1') })
  const source = { gitCloneUrl: sshd.urlOf(repository.directory), gitBranch: 'main' }
  const app = await owner.call('apps.create', { projectId: project.id, name: 'over ssh', port: 8080, ...source })
  expect(await lab.deploy(app.id)).toMatchObject({ status: 'failed', error_message: expect.stringContaining('needs a deploy key') })
  const { publicKey } = await owner.call('apps.createDeployKey', { appId: app.id })
  expect(await lab.deploy(app.id)).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining('does not accept the deploy key'),
  })
  await sshd.authorize([publicKey])
  expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '', commit_hash: repository.hash })
  expect(await lab.visit(app)).toBe('v1')
  return { app, repository }
}

const automatic = async (appId: number) =>
  (await lab.owner.call('deployments.list', { appId })).filter(({ trigger }) => AUTOMATIC.has(trigger))

it('private repositories of every host are deployed, and a push exactly once, though the server dies right after its answer', async () => {
  const { owner, berth } = lab
  const connecting = WAYS.map(async (way, n) => {
    const connected = await connect(way, hosts[n] as GitHostServer) // there is one for each way
    await expectFirstDeploy(connected)
    return connected
  })
  const [{ app: sshApp, repository }, ...connected] = await Promise.all([deployOverSsh(), ...connecting])

  const pushes = await Promise.all(connected.map(push))
  const pushedOverSsh = await repository.commit({ files: webFiles('v2') })
  const deliverAll = async (ids: (way: Way) => string[]) =>
    await Promise.all(pushes.flatMap(({ way, deliver, answers }) => ids(way).map(async (id) => void answers.add(await deliver(id)))))
  await deliverAll(idsOf)
  await berth.kill9()
  await berth.startAgain()
  await deliverAll(({ style }) => (style === 'gitlab' ? ['a', 'a'] : ['a', 'd']))

  for (const { way, commit, answers } of pushes) {
    const made = await automatic(way.app.id)
    expect([way.name, made.map(({ id }) => String(id))]).toEqual([way.name, [...answers]])
    expect([way.name, made.map(({ trigger }) => trigger)]).toEqual([way.name, ['webhook']])
    const { status, error_message, commit_hash } = await lab.ended(made[0]?.id ?? 0)
    expect([way.name, status, error_message, commit_hash]).toEqual([way.name, 'success', '', commit])
    expect([way.name, await lab.visit(way.app)]).toEqual([way.name, 'v2'])
  }
  // a poll may also have deployed the first commit, as soon as the host accepted the key
  const ofPush = async () => (await automatic(sshApp.id)).filter(({ commit_hash }) => commit_hash === pushedOverSsh)
  const [found] = await until(ofPush, ({ length }) => length > 0)
  expect(await lab.ended(found?.id ?? 0)).toMatchObject({ status: 'success', trigger: 'poll' })
  expect(await lab.visit(sshApp)).toBe('v2')
  expect((await ofPush()).length).toBe(1)

  for (const { name, via, host, app } of connected) {
    expect([name, host.model.hooks.length]).toEqual([name, via === 'app' ? 0 : 1])
    await owner.call('apps.delete', { appId: app.id })
  }
  for (const { host } of connected)
    await until(
      () => host.model.hooks.length,
      (count) => count === 0,
    )
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HostRepo, Style } from '../../testing/git-host/model.ts'
import { type GitHostServer, startGitHost } from '../../testing/git-host/start-git-host.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { writeToDatabase } from '../../testing/harness/write-to-database.ts'

const WORDS = {
  github: { waiting: ['pending'], failed: 'failure' },
  gitlab: { waiting: ['pending', 'running'], failed: 'failed' },
  gitea: { waiting: ['pending'], failed: 'failure' },
} as const satisfies Record<Style, { waiting: readonly string[]; failed: string }>

/** A host, and a server that has an account there. */
function connected(style: Style) {
  let host: GitHostServer
  let berth: TestServer
  let owner: Person
  let repo: HostRepo
  let projectId: number
  let accountId: number

  beforeAll(async () => {
    host = await startGitHost(style)
    repo = await host.addRepository('acme/shop', [host.addPerson('robot', 'a-good-token')], { Dockerfile: 'FROM scratch' })
    // there is no engine, so every deployment fails after a moment
    const tuning = { engineWaitMs: 300, resolveAtAddMs: 20_000, commitStatusMs: 50, commitStatusRetryMs: 100 }
    berth = await startTestServer({ env: host.env, tuning })
    owner = await berth.owner()
    await owner.call('settings.update', { dashboardDomain: 'berth.example.com' })
    projectId = (await owner.call('projects.create', { name: 'My Shop' })).id
    accountId = (await owner.call('git.createAccount', { provider: style, token: 'a-good-token', baseUrl: host.origin })).id
  })
  afterAll(async () => {
    await berth[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })

  const newApp = async (name: string) => {
    const source = { gitProviderId: accountId, gitRepository: 'acme/shop', gitBranch: 'main' }
    return (await owner.call('apps.create', { projectId, name, ...source })).id
  }
  const statusesOf = (name: string) => host.model.statuses.filter((each) => each.name === `berth/my-shop/${name}`)
  const lastStateOf = (name: string) => statusesOf(name).at(-1)?.state
  const deploy = async (appId: number) => {
    const { id, commit_hash } = await owner.call('deployments.add', { appId })
    expect(commit_hash).toBe(repo.git?.hash)
    await expect.poll(async () => (await owner.call('deployments.get', { id })).status, { timeout: 30_000 }).toBe('failed')
    return id
  }

  return {
    get host() {
      return host
    },
    get berth() {
      return berth
    },
    commit: () => repo.git?.hash,
    newApp,
    statusesOf,
    lastStateOf,
    deploy,
  }
}

describe.each(['github', 'gitlab', 'gitea'] as const satisfies Style[])('a host like %s', (style) => {
  const lab = connected(style)
  const { newApp, statusesOf, lastStateOf, deploy } = lab

  it('is told how a deployment goes, in its own words and in order, with the way to the log', async () => {
    const id = await deploy(await newApp('web'))
    await expect.poll(() => lastStateOf('web'), { timeout: 30_000 }).toBe(WORDS[style].failed)
    const told = statusesOf('web')
    for (const { state } of told.slice(0, -1)) expect(WORDS[style].waiting).toContain(state)
    expect(told.at(-1)).toMatchObject({
      commit: lab.commit(),
      description: 'The deployment failed; its log says why',
      url: expect.stringMatching(new RegExp(`^https://berth\\.example\\.com/apps/\\d+/deployments/${id}$`)),
    })
  })

  it('that is away delays nothing, and is told the newest state when it is back', async () => {
    const appId = await newApp('patient')
    lab.host.setHabit({ kind: 'answer', status: 502 })
    const asked = () => lab.host.requests.filter(({ url }) => url.includes('/statuses/')).length
    await deploy(appId) // it has ended, and nobody was told
    const before = asked() // the next request may have been made before it ended; the one after that was not
    await expect.poll(() => asked() - before, { timeout: 30_000 }).toBeGreaterThan(1)
    expect(statusesOf('patient')).toEqual([])
    lab.host.setHabit(undefined)
    await expect.poll(() => lastStateOf('patient'), { timeout: 30_000 }).toBe(WORDS[style].failed)
    expect(statusesOf('patient').length).toBe(1)
  })

  it('that refuses is not asked again and again', async () => {
    const appId = await newApp('refused')
    lab.host.setHabit({ kind: 'answer', status: 403, body: { message: 'Resource not accessible by this token' } })
    await deploy(appId)
    const asked = () => lab.host.requests.filter(({ url }) => url.includes('/statuses/')).length
    const isSettled = async () =>
      await writeToDatabase(
        lab.berth.dataDir,
        (file) => file.prepare('select 1 from commit_status where next_at is not null').get() === undefined,
      )
    await expect.poll(isSettled, { timeout: 30_000 }).toBe(true)
    const before = asked()
    expect(before).toBeGreaterThan(0)
    lab.host.setHabit(undefined)
    await deploy(await newApp('marker')) // for this one several rounds go by
    await expect.poll(() => lastStateOf('marker'), { timeout: 30_000 }).toBe(WORDS[style].failed)
    expect(asked() - before).toBe(statusesOf('marker').length)
    expect(statusesOf('refused')).toEqual([])
  })
})

describe('a host with deployments of its own', () => {
  const lab = connected('github')
  const { newApp, lastStateOf, deploy } = lab

  it('shows them, where the account may', async () => {
    const id = await deploy(await newApp('shown'))
    const shown = () => lab.host.model.deployments.filter(({ environment }) => environment === 'my-shop/shown')
    await expect.poll(() => shown()[0]?.statuses.at(-1)?.['state'], { timeout: 30_000 }).toBe('failure')
    expect(shown().length).toBe(1)
    expect(shown()[0]).toMatchObject({ commit: lab.commit() })
    expect(shown()[0]?.statuses.at(-1)).toMatchObject({
      description: 'The deployment failed; its log says why',
      log_url: expect.stringMatching(new RegExp(`^https://berth\\.example\\.com/apps/\\d+/deployments/${id}$`)),
    })
    const robot = lab.host.model.people[0]
    if (robot) robot.mayDeploy = false
    for (const name of ['commit-alone', 'commit-alone-too']) {
      await deploy(await newApp(name))
      await expect.poll(() => lastStateOf(name), { timeout: 30_000 }).toBe('failure')
    }
    expect(lab.host.model.deployments.some(({ environment }) => environment.includes('commit-alone'))).toBe(false)
    expect(lab.berth.log().split('told of commits, not of deployments').length - 1).toBe(1)
  })
})

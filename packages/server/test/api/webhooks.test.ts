import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HostRepo, Style } from '../../testing/git-host/model.ts'
import { deliveryHeaders, type PushOptions, pushPayload } from '../../testing/git-host/payloads.ts'
import { type GitHostServer, startGitHost } from '../../testing/git-host/start-git-host.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { writeRows } from '../../testing/harness/write-rows.ts'
import { until } from '../../testing/labs/deploy-lab.ts'

type Answer = { delivery: string; event: string; result: string; reason: string; deployments: number[] }
const COMMIT = 'abcdef01'.repeat(5)

describe.each(['github', 'gitlab', 'gitea'] as const satisfies Style[])('deliveries of a host like %s', (style) => {
  let host: GitHostServer
  let berth: TestServer
  let owner: Person
  let projectId: number
  let accountId: number
  let repo: HostRepo
  let n = 0

  beforeAll(async () => {
    host = await startGitHost(style)
    const robot = host.addPerson('robot', 'a-good-token')
    repo = await host.addRepository('acme/shop', [robot])
    berth = await startTestServer({
      runs: style === 'github' ? 'as a process' : 'here', // one of them is killed
      env: host.env,
      tuning: { engineWaitMs: 600_000, resolveAtAddMs: 50, gitHooksMs: 100, askForcedMs: 30_000 },
    })
    owner = await berth.owner()
    await owner.call('settings.update', { dashboardDomain: 'berth.example.com' })
    projectId = (await owner.call('projects.create', { name: 'Shop' })).id
    accountId = (await owner.call('git.createAccount', { provider: style, token: 'a-good-token', baseUrl: host.origin })).id
  })
  afterAll(async () => {
    await berth[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    for (const { id } of await owner.call('apps.listAll')) await owner.call('apps.delete', { appId: id })
    await hooksAre(0) // with the last app its webhook goes
  })

  const hooksAre = async (count: number) =>
    await until(
      () => host.model.hooks.length,
      (found) => found === count,
    )
  const newApp = async (more: { gitBranch?: string; watchPaths?: string[]; autoDeploy?: boolean } = {}) => {
    const source = { gitProviderId: accountId, gitRepository: repo.fullName, gitBranch: 'main' }
    const { id } = await owner.call('apps.create', { projectId, name: `app ${(n += 1)}`, ...source, ...more })
    await hooksAre(1)
    return id
  }
  const ownAddress = () => new URL(host.model.hooks[0]?.url ?? 'http://nowhere').search
  const send = async (body: string, headers: Record<string, string>, query = ownAddress()) =>
    await berth.raw('POST', `/api/webhooks/git${query}`, { body, headers })
  async function deliver(given: Partial<PushOptions> & { id?: string; event?: string } = {}) {
    const { id, event, ...push } = given
    const body = JSON.stringify(pushPayload(host.model, { repo, commit: COMMIT, ...push }))
    const secret = host.model.hooks[0]?.secret ?? ''
    const answer = await send(body, deliveryHeaders(host.model, { secret, body, ...(id && { id }), ...(event && { event }) }))
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    return answer.json.data as Answer // the schema of the answer, checked below
  }

  it('a webhook is registered for the repository of an app, once, and a push deploys every app of its branch', async () => {
    const [first, second, other] = [await newApp(), await newApp(), await newApp({ gitBranch: 'next' })]
    const [hook] = host.model.hooks
    const address = `https://berth.example.com/api/webhooks/git?account=${accountId}&repository=${repo.id}&key=`
    expect(hook).toMatchObject({ url: expect.stringContaining(address), repositoryId: repo.id })
    expect(hook?.secret.length).toBe(64)
    expect(await owner.call('apps.webhook', { appId: first })).toEqual({ status: 'active', error: '', warning: '', url: hook?.url })
    const answer = await deliver({ message: 'Say hello', id: 'd-1' })
    expect(answer).toMatchObject({ delivery: 'd-1', result: 'deployed', reason: expect.stringContaining('branch next') })
    expect(answer.deployments.length).toBe(2)
    for (const appId of [first, second]) {
      const [deployment] = await owner.call('deployments.list', { appId })
      expect(deployment).toMatchObject({
        trigger: 'webhook',
        commit_hash: COMMIT,
        commit_message: 'Say hello',
        commit_author: 'Grace Tester',
      })
      expect(deployment?.commit_url).toBe(`${host.origin}/acme/shop/${style === 'gitlab' ? '-/' : ''}commit/${COMMIT}`)
    }
    expect(await owner.call('deployments.list', { appId: other })).toEqual([])
    const [listed] = await owner.call('webhooks.deliveries', { appId: first })
    expect(listed).toMatchObject({ delivery: 'd-1', result: 'deployed', repository: 'acme/shop', branch: 'main', commit: COMMIT })
    expect((await owner.call('webhooks.deliveries', { accountId, limit: 1 }))[0]).toMatchObject({ id: listed?.id, result: 'deployed' })
    const [elsewhere] = await owner.call('webhooks.deliveries', { appId: other })
    expect(elsewhere).toMatchObject({
      id: listed?.id,
      result: 'ignored',
      reason: expect.stringContaining('it deploys from the branch next'),
    })
  })

  it('a delivery makes one deployment, however often and however many at once it comes', async () => {
    const appId = await newApp()
    const id = randomUUID()
    const answers = await Promise.all([1, 2, 3, 4, 5].map(async () => await deliver({ id })))
    if (style === 'github') {
      await berth.kill9()
      await berth.startAgain()
      owner = await berth.logIn(owner.email, 'owner-password-1')
    }
    answers.push(await deliver({ id }), await deliver({ id }))
    expect(new Set(answers.map(({ deployments }) => deployments.join())).size).toBe(1)
    expect((await owner.call('deployments.list', { appId })).length).toBe(1)
  })

  it('a newer push replaces one that still waits, and never what a person asked for', async () => {
    const appId = await newApp()
    await owner.call('deployments.add', { appId }) // blocks the lane, because it waits for an engine
    await expect.poll(async () => (await owner.call('deployments.list', { appId })).at(-1)?.status, { timeout: 30_000 }).toBe('building')
    const asked = await owner.call('deployments.add', { appId })
    for (const digit of ['a', 'b', 'c']) await deliver({ commit: digit.repeat(40) })
    const list = await owner.call('deployments.list', { appId })
    expect(list.map(({ status }) => status)).toEqual(['pending', 'stopped', 'stopped', 'pending', 'building'])
    expect(list[1]).toMatchObject({ error_message: 'Replaced by #5.', commit_hash: 'b'.repeat(40) })
    expect(list[3]?.id).toBe(asked.id)
  })

  it('what does not deploy is kept with its reason', async () => {
    const appId = await newApp({ watchPaths: ['web/**', 'package.json'] })
    const reason = async (given: Parameters<typeof deliver>[0]) => {
      const { result, reason: why, deployments } = await deliver(given)
      expect(deployments).toEqual([])
      return `${result}: ${why}`
    }
    expect(await reason({ paths: ['docs/a.md'] })).toMatch(/^ignored: no watched path changed/) // the host is told no names of ours
    expect(await reason({ message: 'Fix a typo [skip ci]', paths: ['web/a'] })).toContain('the commit message says [skip ci]')
    expect(await reason({ message: '[Skip Deploy] later', paths: ['web/a'] })).toContain('[Skip Deploy]')
    expect(await reason({ branch: 'next' })).toContain('it deploys from the branch main')
    expect(await reason({ ref: 'refs/tags/v1' })).toContain('refs/tags/v1 is not a branch')
    expect(await reason({ commit: '0'.repeat(40) })).toContain('The branch main was deleted')
    for (const event of ['ping', 'pull_request', 'Merge Request Hook', 'Tag Push Hook'])
      expect(await reason({ event })).toMatch(/^ignored: (The webhook works|Berth ignores the event)/)
    await owner.call('apps.update', { appId, autoDeploy: false })
    expect(await reason({ paths: ['web/a'] })).toContain('auto-deploy is off')
    await owner.call('apps.update', { appId, autoDeploy: true })
    expect((await deliver({ paths: ['web/a.html'] })).result).toBe('deployed')
    expect((await deliver({ paths: ['docs/a.md'], before: '0'.repeat(40) })).result).toBe('deployed') // nobody knows what came before
    expect((await owner.call('webhooks.deliveries', { appId })).some(({ reason: why }) => /^app \d+: no watched path/.test(why))).toBe(true)
    const cutShort = style === 'github' ? {} : { total: 30 } // not all commits are named
    const forced = 'f00d'.repeat(10)
    repo.rewritten.add(forced)
    expect((await deliver({ paths: ['docs/a.md'], commit: forced, forced: true, ...cutShort })).result).toBe('deployed')
    expect((await deliver({ paths: ['docs/a.md'], commit: forced, forced: true, before: forced })).result).toBe('deployed')
    expect((await deliver({ repo: { ...repo, id: 9999 } })).reason).toContain('registered for another repository')
  })

  it('a repository that was renamed goes on deploying, by its id', async () => {
    const appId = await newApp()
    await deliver()
    const [old] = await owner.call('webhooks.deliveries', { appId })
    await deliver({ repo: { ...repo, fullName: 'acme/somebody-elses' } }) // a name that the host does not confirm
    expect(await owner.call('apps.get', { appId })).toMatchObject({ git_repository: 'acme/shop' })
    repo.fullName = 'acme/renamed'
    try {
      expect((await deliver()).result).toBe('deployed')
      expect((await owner.call('webhooks.redeliver', { id: old?.id ?? 0 })).result).toBe('deployed') // and takes no name back
      expect(await owner.call('apps.get', { appId })).toMatchObject({
        git_repository: 'acme/renamed',
        git_clone_url: `${host.origin}/acme/renamed.git`,
      })
    } finally {
      await owner.call('apps.delete', { appId })
      await hooksAre(0)
      repo.fullName = 'acme/shop'
    }
  })

  it('only what is signed with the secret of the account is read, and nothing else leaves a row', async () => {
    await newApp()
    const before = (await owner.call('webhooks.deliveries', { accountId })).length
    const body = JSON.stringify(pushPayload(host.model, { repo, commit: COMMIT }))
    const good = deliveryHeaders(host.model, { secret: host.model.hooks[0]?.secret ?? '', body })
    const changed = (change: Record<string, string>) => ({ ...good, ...change })
    const without = (names: RegExp) => Object.fromEntries(Object.entries(good).filter(([name]) => !names.test(name)))
    const proof = style === 'gitlab' ? 'x-gitlab-token' : 'x-hub-signature-256'
    const hex = (good[proof] ?? '').replace('sha256=', '')
    const bad: [string, Record<string, string>, string?][] = [
      [body, without(/signature|token/)],
      [body, deliveryHeaders(host.model, { secret: '', body })],
      [body, deliveryHeaders(host.model, { secret: 'guess', body })],
      [body, changed({ [proof]: hex.slice(0, -1) })],
      [body, good, `?account=${accountId}`], // an account has no secret of its own
      [body, good, `?account=${accountId}&repository=${repo.id}`],
      [body, good, ownAddress().replace(/.$/, (last) => (last === '_' ? '-' : '_'))], // any character may be the last one of the key
      [body, good, `?account=${accountId}&repository=9999`],
      [body, good, `?account=9999&repository=${repo.id}`],
      [body, good, '?app=x'],
      [body, good, ''],
      ...(style === 'gitlab'
        ? []
        : ([
            [`${body} `, good],
            [body, changed({ [proof]: `SHA256=${hex}` })],
            [body, changed({ [proof]: `sha1=${hex.slice(0, 40)}` })],
          ] satisfies [string, Record<string, string>][])),
    ]
    for (const [text, headers, query] of bad) {
      const answer = await send(text, headers, query)
      expect([answer.status, answer.json.code]).toEqual([401, 'webhook_not_verified'])
    }
    expect((await owner.call('webhooks.deliveries', { accountId })).length).toBe(before)
    expect((await send(body, good)).status).toBe(200)
  })

  it('a delivery is looked at without secrets, delivered again, and is for those who may see it', async () => {
    const appId = await newApp({ autoDeploy: false })
    expect((await deliver({ message: 'Later' })).result).toBe('ignored')
    const [listed] = await owner.call('webhooks.deliveries', { appId })
    const id = listed?.id ?? 0
    const whole = await owner.call('webhooks.delivery', { id })
    expect(JSON.parse(whole.body)).toMatchObject({ after: COMMIT })
    expect(Object.keys(whole.headers).filter((name) => name.endsWith('-event')).length).toBeGreaterThan(0)
    expect(JSON.stringify(whole)).not.toContain(host.model.hooks[0]?.secret)
    expect(JSON.stringify(whole.headers)).not.toMatch(/signature|token/)
    await owner.call('apps.update', { appId, autoDeploy: true })
    const again = await owner.call('webhooks.redeliver', { id })
    expect([again.result, again.deployments.length]).toEqual(['deployed', 1])
    const last = await owner.call('webhooks.redeliver', { id })
    expect(last.deployments.length).toBe(1)
    expect((await owner.call('webhooks.delivery', { id })).deployments).toEqual(last.deployments)
    const stranger = await berth.as('stranger')
    for (const call of [
      async () => await stranger.call('webhooks.delivery', { id }),
      async () => await stranger.call('webhooks.redeliver', { id }),
      async () => await stranger.call('webhooks.deliveries', { accountId }),
      async () => await stranger.call('webhooks.deliveries', { appId }),
    ])
      await expect(call()).rejects.toMatchObject({ code: expect.stringMatching(/_not_found|git_not_connected/) })
    await expect(owner.call('webhooks.deliveries', {})).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('a delivery that is sent again under another id is the same one, where its bytes are signed', async () => {
    const appId = await newApp()
    const at = (host.model.clock += 1)
    const first = await deliver({ id: 'own', at })
    const copy = await deliver({ id: 'another', at })
    expect(copy.deployments.length).toBe(1)
    expect(copy.deployments[0] === first.deployments[0]).toBe(style !== 'gitlab') // which signs nothing, and two pushes can be alike
    expect((await owner.call('deployments.list', { appId })).length).toBe(style === 'gitlab' ? 2 : 1)
  })

  it('a push that comes after a newer one deploys nothing', async () => {
    const appId = await newApp()
    const [a, b, c] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)]
    const at = (host.model.clock += 3) // GitLab does not say it
    await deliver({ before: b, commit: c, at })
    const late = await deliver({ before: a, commit: b, at: at - 1 })
    expect([late.result, late.reason]).toEqual(['ignored', 'A newer push to main was delivered before this one.'])
    expect((await owner.call('deployments.list', { appId })).map(({ commit_hash: hash }) => hash)).toEqual([c])
    const back = await deliver({ before: c, commit: b, forced: true })
    expect(back.result).toBe('deployed') // it leads back, and is the newest
  })

  it('a delivery that failed is tried again when the host sends it again', async () => {
    const appId = await newApp()
    for (let count = 0; count < 20; count += 1) await owner.call('deployments.add', { appId }) // as many as may wait
    const push = { id: 'full', at: (host.model.clock += 1) }
    expect(await deliver(push)).toMatchObject({ result: 'failed', reason: expect.stringContaining('already waiting or running') })
    expect((await deliver(push)).result).toBe('failed')
    const [newest] = await owner.call('deployments.list', { appId })
    await owner.call('deployments.stop', { deploymentId: newest?.id ?? 0 })
    const answer = await deliver(push)
    expect([answer.result, answer.deployments.length]).toEqual(['deployed', 1])
    expect((await deliver(push)).deployments).toEqual(answer.deployments)
    expect((await owner.call('webhooks.deliveries', { appId })).length).toBe(1)
  })

  it('a webhook proves deliveries of its own repository alone', async () => {
    await newApp()
    const robot = host.model.people[0]
    const second = await host.addRepository('acme/second', robot ? [robot] : [])
    const source = { gitProviderId: accountId, gitRepository: 'acme/second', gitBranch: 'main' }
    const { id: other } = await owner.call('apps.create', { projectId, name: 'second', ...source })
    await hooksAre(2)
    const [mine, theirs] = [repo, second].map(({ id }) => host.model.hooks.find(({ repositoryId }) => repositoryId === id))
    expect(mine?.secret).not.toBe(theirs?.secret)
    const body = JSON.stringify(pushPayload(host.model, { repo: second, commit: COMMIT }))
    const headers = deliveryHeaders(host.model, { secret: mine?.secret ?? '', body })
    expect((await send(body, headers, new URL(theirs?.url ?? '').search)).status).toBe(401)
    const answer = await send(body, headers, new URL(mine?.url ?? '').search)
    expect(answer.json.data).toMatchObject({ result: 'ignored', reason: 'This webhook was registered for another repository.' })
    expect(await owner.call('deployments.list', { appId: other })).toEqual([])
  })

  it('an app is named to those who may see it alone', async () => {
    const appId = await newApp({ autoDeploy: false })
    const elsewhere = (await owner.call('projects.create', { name: `Secret ${n}` })).id
    const source = { gitProviderId: accountId, gitRepository: repo.fullName, gitBranch: 'main' }
    await owner.call('apps.create', { projectId: elsewhere, name: 'hidden-app', ...source })
    const member = await berth.as('member')
    await owner.call('projects.members', { id: projectId, emails: [member.email] })
    const { deployments } = await deliver()
    expect(deployments.length).toBe(1)
    const [seen] = await member.call('webhooks.deliveries', { appId })
    expect(seen).toMatchObject({ result: 'ignored', deployments: [], reason: expect.stringMatching(/^app \d+: auto-deploy is off$/) })
    expect((await member.call('webhooks.delivery', { id: seen?.id ?? 0 })).deployments).toEqual([])
    const again = await member.call('webhooks.redeliver', { id: seen?.id ?? 0 })
    expect([again.deployments, JSON.stringify(again).includes('hidden')]).toEqual([[], false])
    const [all] = await owner.call('webhooks.deliveries', { appId })
    expect(all?.deployments).toEqual(deployments)
  })

  it('a webhook whose registration we did not live to see is replaced, and one over http says so', async () => {
    const url = `https://berth.example.com/api/webhooks/git?account=${accountId}&repository=${repo.id}&key=of-another-try`
    host.model.hooks.push({ id: 77, repositoryId: repo.id, url, secret: 'of a try that ended', events: ['push'] })
    const appId = await newApp()
    await expect.poll(async () => (await owner.call('apps.webhook', { appId })).status, { timeout: 30_000 }).toBe('active')
    expect(host.model.hooks.map(({ id, secret }) => [id === 77, secret.length])).toEqual([[false, 64]])
    expect((await deliver()).result).toBe('deployed')
    await writeRows(berth, async (tx) => {
      const address = { name: 'server.address', value: '203.0.113.7' }
      await tx.deleteFrom('fact').where('name', '=', address.name).execute()
      await tx.insertInto('fact').values(address).execute()
    })
    await owner.call('settings.update', { dashboardDomain: '' })
    await expect.poll(async () => (await owner.call('apps.webhook', { appId })).warning, { timeout: 30_000 }).toContain('over plain http')
    expect((await owner.call('git.accounts')).find(({ id }) => id === accountId)?.warning).toContain('Set the dashboard domain')
    await owner.call('settings.update', { dashboardDomain: 'berth.example.com' })
    await expect.poll(async () => (await owner.call('apps.webhook', { appId })).warning, { timeout: 30_000 }).toBe('')
    expect(host.model.hooks.length).toBe(1)
  })

  it('a webhook that cannot be registered says why on the app, and an account takes its webhooks along', async () => {
    const own = host.addPerson('weak', 'a-weak-token')
    own.repositories.add(repo.id)
    own.mayHook = false
    const { id } = await owner.call('git.createAccount', { provider: style, token: 'a-weak-token', baseUrl: host.origin })
    const source = { gitProviderId: id, gitRepository: repo.fullName }
    const { id: appId } = await owner.call('apps.create', { projectId, name: 'weak', ...source })
    const state = async () => await owner.call('apps.webhook', { appId })
    await expect.poll(async () => (await state()).status, { timeout: 30_000 }).toBe('failed')
    expect((await state()).error).toContain('permissions')
    own.mayHook = true
    await owner.call('git.checkAccount', { id }) // no wait for the next try
    await hooksAre(1)
    host.model.hooks.length = 0 // by hand, at the host
    await owner.call('git.checkAccount', { id })
    await hooksAre(1)
    await expect.poll(async () => (await state()).status, { timeout: 30_000 }).toBe('active')
    await owner.call('git.deleteAccount', { id, force: true })
    expect((await state()).status).toBe('none')
    const other = await owner.call('git.createAccount', { provider: style, token: 'a-good-token', baseUrl: host.origin, projectId })
    await owner.call('apps.create', { projectId, name: 'strong', gitProviderId: other.id, gitRepository: repo.fullName })
    await hooksAre(1)
    await owner.call('git.deleteAccount', { id: other.id, force: true })
    expect(host.model.hooks).toEqual([])
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { HostRepo } from '../../testing/git-host/model.ts'
import { deliveryHeaders, pushPayload } from '../../testing/git-host/payloads.ts'
import { type GitHostServer, startGitHost } from '../../testing/git-host/start-git-host.ts'
import { resourcesOf } from '../../testing/harness/process-resources.ts'
import { headOf, openConnection } from '../../testing/harness/raw-connection.ts'
import { startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { dumpDatabase } from '../../testing/harness/test-world.ts'
import { until } from '../../testing/labs/deploy-lab.ts'

const BODY_BYTES = 20 * 1024 * 1024
const AT_ONCE = 50 // the bodies of so many fit into what one address may hold
const ROUNDS = 20 // of three forgeries each: 3,000 bad deliveries, 90 MB
/** As many as the client keeps open. */
const CONNECTIONS = 64
const WARM_UP = 2
/** Far less than the bytes that were sent, and room for what the collector leaves. */
const MOST_MORE_MB = 60

let host: GitHostServer
let berth: TestServer
let repo: HostRepo
beforeAll(async () => {
  host = await startGitHost('github')
  repo = await host.addRepository('acme/shop', [host.addPerson('robot', 'a-good-token')])
  berth = await startTestServer({ runs: 'as a process', env: host.env, tuning: { engineWaitMs: 600_000, gitHooksMs: 100 } })
  const owner = await berth.owner()
  await owner.call('settings.update', { dashboardDomain: 'berth.example.com' })
  const projectId = (await owner.call('projects.create', { name: 'Shop' })).id
  const { id: gitProviderId } = await owner.call('git.createAccount', { provider: 'github', token: 'a-good-token', baseUrl: host.origin })
  await owner.call('apps.create', { projectId, name: 'shop', gitProviderId, gitRepository: 'acme/shop', autoDeploy: false })
  await until(
    () => host.model.hooks.length,
    (count) => count === 1,
  )
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

const hook = () => host.model.hooks[0] ?? { url: 'http://nowhere', secret: '' }
const addressOf = (search: string) => `/api/webhooks/git${search}`
/** Where the host sends, the same with a wrong key, and nobody's. */
function addresses(): string[] {
  const { search } = new URL(hook().url)
  return [search, search.replace(/key=.*/, 'key=0123456789012345678901'), '?app=nobody'].map(addressOf)
}
const newPush = () => JSON.stringify(pushPayload(host.model, { repo, commit: 'abcdef01'.repeat(5), message: 'x'.repeat(30_000) }))

it('a flood of bad signatures is refused, keeps nothing, and good deliveries are answered meanwhile', async () => {
  const [good = ''] = addresses()
  const body = newPush()
  const forged = deliveryHeaders(host.model, { secret: 'a guess', body })
  const flood = async (): Promise<number[]> => {
    const sent = addresses().flatMap((path) => Array.from({ length: AT_ONCE }, () => berth.raw('POST', path, { body, headers: forged })))
    return (await Promise.all(sent)).map(({ status }) => status)
  }
  const idle = await resourcesOf(berth.pid())
  for (let n = 0; n < WARM_UP; n += 1) await flood()
  const before = { rows: await dumpDatabase(berth), ...(await resourcesOf(berth.pid())) }
  for (let n = 0; n < ROUNDS; n += 1) expect(new Set(await flood())).toEqual(new Set([401]))
  expect(await dumpDatabase(berth)).toEqual(before.rows)
  for (let n = 0; n < 2; n += 1) {
    const own = newPush()
    const headers = deliveryHeaders(host.model, { secret: hook().secret, body: own })
    const [bad, answer] = await Promise.all([flood(), berth.raw('POST', good, { body: own, headers })])
    expect([new Set(bad), answer.status]).toEqual([new Set([401]), 200])
  }
  expect((await resourcesOf(berth.pid())).memoryMb - before.memoryMb).toBeLessThan(MOST_MORE_MB)
  await until(
    async () => (await resourcesOf(berth.pid())).files,
    (files) => files <= idle.files + CONNECTIONS,
    30_000,
  )
})

it('the body of a delivery to a wrong address is not even waited for', async () => {
  const [good = '', ...wrong] = addresses()
  const headers = deliveryHeaders(host.model, { secret: 'a guess', body: '' })
  for (const path of wrong) {
    const connection = await openConnection(berth.baseUrl)
    connection.socket.write(headOf(path, BODY_BYTES, headers))
    expect(await connection.answered).toMatch(/^HTTP\/1\.1 401 /)
    connection.socket.destroy()
  }
  const unsigned = await openConnection(berth.baseUrl)
  unsigned.socket.write(headOf(good, BODY_BYTES))
  expect(await unsigned.answered).toMatch(/^HTTP\/1\.1 401 /)
  unsigned.socket.destroy()
})

import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostRepo } from '../packages/server/testing/git-host/model.ts'
import { deliveryHeaders, pushPayload } from '../packages/server/testing/git-host/payloads.ts'
import { startGitHost } from '../packages/server/testing/git-host/start-git-host.ts'
import { makeDataDir, remove, signIn, startBerth } from './lib/berth.ts'
import { measure } from './lib/load.ts'
import { numberFlag, percentile, say, verdict } from './lib/numbers.ts'

type Sender = { accountId: number; repo: HostRepo; secret: string }
type Sent = { id: string; accountId: number; status: number; ms: number }

const COUNT = numberFlag('deliveries', 1000)
const SECONDS = 10
const ACCOUNTS = 20 // an account may send 120 a minute
const LAST_BURST = 10 // of each account, into the kill

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
const dataDir = makeDataDir()
const host = await startGitHost('github')
// there is no engine: what is measured is what is answered, not what is built
const env = { ...host.env, DOCKER_HOST: `unix://${dataDir}/no-engine.sock` }
let berth = await startBerth(dataDir, env)
let cookie = await signIn(berth.url)

async function call(method: string, path: string, body?: unknown): Promise<{ data: { id: number }[] & { id: number } }> {
  const headers = { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const answer = await fetch(berth.url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  if (answer.status !== 200) throw new Error(`${path}: ${await answer.text()}`)
  return (await answer.json()) as { data: { id: number }[] & { id: number } } // of the fields that are used here
}

async function newSenders(projectId: number): Promise<Sender[]> {
  const made: Omit<Sender, 'secret'>[] = []
  for (let n = 1; n <= ACCOUNTS; n += 1) {
    const repo = await host.addRepository(`acme/shop-${n}`, [host.addPerson(`robot-${n}`, `a-good-token-${n}`)])
    const token = { provider: 'github', token: `a-good-token-${n}`, baseUrl: host.origin }
    const { id: accountId } = (await call('POST', '/api/git/accounts/create', token)).data
    const source = { gitProviderId: accountId, gitRepository: repo.fullName, gitBranch: 'main' }
    await call('POST', '/api/apps/create', { projectId, name: `app ${n}`, ...source })
    made.push({ accountId, repo })
  }
  while (host.model.hooks.length < ACCOUNTS) await sleep(100)
  return made.map((each) => ({ ...each, secret: host.model.hooks.find(({ repositoryId }) => repositoryId === each.repo.id)?.secret ?? '' }))
}

/** One push, and how long its answer took; 0 where there was none. */
async function deliver({ accountId, repo, secret }: Sender): Promise<Sent> {
  const id = randomUUID()
  const commit = randomUUID().replaceAll('-', '').padEnd(40, '0')
  const body = JSON.stringify(pushPayload(host.model, { repo, commit }))
  const headers = deliveryHeaders(host.model, { secret, body, id })
  const begin = performance.now()
  const status = await new Promise<number>((resolve) => {
    const request = http.request(`${berth.url}/api/webhooks/git?account=${accountId}`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
      answer.once('error', () => resolve(0))
    })
    request.once('error', () => resolve(0)).end(body)
  })
  return { id, accountId, status, ms: performance.now() - begin }
}

const { id: projectId } = (await call('POST', '/api/projects/create', { name: 'Shop' })).data
await call('PUT', '/api/settings', { dashboardDomain: 'berth.example.com' })
const senders = await newSenders(projectId)
const senderOf = (n: number): Sender => senders[n % senders.length] ?? { accountId: 0, repo: {} as HostRepo, secret: '' } // there are 20

const load = { url: berth.url, method: 'GET', path: '/api/auth/me', headers: { cookie }, body: '', connections: 2 } // its answer does not change meanwhile
await measure(load, 2) // code that is not hot yet would be measured otherwise
const quiet = await measure(load, SECONDS)
const measured = measure(load, SECONDS)
const beganAt = performance.now()
const sent = await Promise.all(
  Array.from({ length: COUNT }, async (_, n) => {
    await sleep((n * SECONDS * 1000) / COUNT)
    return await deliver(senderOf(n))
  }),
)
const tookSeconds = (performance.now() - beganAt) / 1000
const busy = await measured // without a time where not one request was answered
const answered = sent.filter(({ status }) => status === 200)
say(
  `${COUNT} deliveries sent in ${SECONDS} s and answered in ${tookSeconds.toFixed(0)} s, ${answered.length} answered with 200; load of the machine ${loadavg()
    .map((n) => n.toFixed(1))
    .join(' ')}`,
)
say(
  `p50 ${percentile(
    answered.map(({ ms }) => ms),
    0.5,
  ).toFixed(0)} ms. API p99: ${quiet.p99Ms.toFixed(1)} ms without, ${(busy.p99Ms || Number.POSITIVE_INFINITY).toFixed(1)} ms with`,
)

const last = senders.flatMap((sender) => Array.from({ length: LAST_BURST }, async () => await deliver(sender)))
await Promise.race([Promise.all(last), Promise.any(last.slice(last.length / 2))])
await berth.kill()
const burst = (await Promise.all(last)).filter(({ status }) => status === 200)
berth = await startBerth(dataDir, env)
cookie = await signIn(berth.url)
const kept = new Set<string>()
for (const { accountId } of senders)
  for (const each of (await call('GET', `/api/webhooks/deliveries?accountId=${accountId}&limit=200`)).data)
    kept.add((each as unknown as { delivery: string }).delivery) // as the contract says
const lost = [...answered, ...burst].filter(({ id }) => !kept.has(id))
say(`killed after ${burst.length} of ${last.length} more were answered; ${kept.size} deliveries are there afterwards`)

verdict('not answered with 200', COUNT - answered.length, { atMost: 0 })
verdict(
  'p99 of the answers, in seconds',
  percentile(
    answered.map(({ ms }) => ms),
    0.99,
  ) / 1000,
  { atMost: 1 },
)
verdict('p99 of the API, with against without', (busy.p99Ms || Number.POSITIVE_INFINITY) / quiet.p99Ms, { atMost: 2 })
verdict('answered and lost', lost.length, { atMost: 0 })

await berth.stop()
await host[Symbol.asyncDispose]()
agent.destroy()
remove(dataDir)

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostRepo } from '../packages/server/testing/git-host/model.ts'
import { deliveryHeaders, pushPayload } from '../packages/server/testing/git-host/payloads.ts'
import { startGitHost } from '../packages/server/testing/git-host/start-git-host.ts'
import { makeDataDir, remove, signIn, startBerth } from './lib/berth.ts'
import { yieldToOthers } from './lib/child.ts'
import { timesAtPace } from './lib/load.ts'
import { numberFlag, percentile, say, verdict } from './lib/numbers.ts'

type Sender = { accountId: number; repo: HostRepo; secret: string; address: string }
type Prepared = { id: string; accountId: number; address: string; headers: Record<string, string>; body: string }
type Sent = { id: string; accountId: number; status: number; ms: number }

const COUNT = numberFlag('deliveries', 4000)
const SECONDS = 40
const ROUNDS = 8 // each with as long a time without deliveries
const ACCOUNTS = 40 // an account may send 120 a minute
const WARM_UP = 5 // of each account
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
  const made: Pick<Sender, 'accountId' | 'repo'>[] = []
  for (let n = 1; n <= ACCOUNTS; n += 1) {
    const repo = await host.addRepository(`acme/shop-${n}`, [host.addPerson(`robot-${n}`, `a-good-token-${n}`)])
    const token = { provider: 'github', token: `a-good-token-${n}`, baseUrl: host.origin }
    const { id: accountId } = (await call('POST', '/api/git/accounts/create', token)).data
    const source = { gitProviderId: accountId, gitRepository: repo.fullName, gitBranch: 'main' }
    await call('POST', '/api/apps/create', { projectId, name: `app ${n}`, ...source })
    made.push({ accountId, repo })
  }
  while (host.model.hooks.length < ACCOUNTS) await sleep(100)
  return made.map((each) => {
    const hook = host.model.hooks.find(({ repositoryId }) => repositoryId === each.repo.id)
    if (!hook) throw new Error(`no webhook for ${each.repo.fullName}`)
    const { pathname, search } = new URL(hook.url) // at the domain of the dashboard
    return { ...each, secret: hook.secret, address: pathname + search }
  })
}

/** Signed beforehand: what is measured is the server. */
function prepare({ accountId, repo, secret, address }: Sender): Prepared {
  const id = randomUUID()
  const commit = randomUUID().replaceAll('-', '').padEnd(40, '0')
  const body = JSON.stringify(pushPayload(host.model, { repo, commit }))
  return { id, accountId, address, body, headers: deliveryHeaders(host.model, { secret, body, id }) }
}

/** How long the answer took, and its status; 0 where there was none. */
async function deliver({ id, accountId, address, headers, body }: Prepared): Promise<Sent> {
  const begin = performance.now()
  const status = await new Promise<number>((resolve) => {
    const request = http.request(berth.url + address, { method: 'POST', agent, headers }, (answer) => {
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

function senderOf(n: number): Sender {
  const sender = senders[n % senders.length]
  if (!sender) throw new Error('there are no senders')
  return sender
}

// what an open dashboard asks for, ten times as often as one does
const paths = ['/api/auth/me', '/api/projects', '/api/apps', `/api/projects/${projectId}`, '/api/deployment/running']
const pace = { url: berth.url, headers: { cookie }, paths, everyMs: 10 }
// code that is not hot yet would be measured otherwise
await timesAtPace({ ...pace, seconds: 5 })
for (const sender of senders) for (let n = 0; n < WARM_UP; n += 1) await deliver(prepare(sender))
// a git host has a machine of its own: here it sends, and answers, only while the server has nothing to do
yieldToOthers(process.pid)

/** What the server has used of the processors: unlike a time, it does not depend on what else the machine does. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${berth.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10 // user and system, in hundredths of a second
}

const cpu = { quiet: 0, busy: 0 }
const sent: Sent[] = []
const [quiet, busy]: [number[], number[]] = [[], []]
const perRound = COUNT / ROUNDS
const seconds = SECONDS / ROUNDS
for (let round = 0; round < ROUNDS; round += 1) {
  await sleep(2000) // what the last round left to do
  const begin = cpuMs()
  quiet.push(...(await timesAtPace({ ...pace, seconds })))
  const middle = cpuMs()
  const prepared = Array.from({ length: perRound }, (_, n) => prepare(senderOf(n)))
  const measured = timesAtPace({ ...pace, seconds })
  const deliveries = prepared.map(async (each, n) => {
    await sleep((n * seconds * 1000) / perRound)
    return await deliver(each)
  })
  sent.push(...(await Promise.all(deliveries)))
  busy.push(...(await measured))
  cpu.quiet += middle - begin
  cpu.busy += cpuMs() - middle
}
const answered = sent.filter(({ status }) => status === 200)
const times = answered.map(({ ms }) => ms)
const shown = (values: readonly number[]) => [0.5, 0.9, 0.99].map((share) => percentile(values, share).toFixed(1)).join(' / ')
say(
  `${COUNT} deliveries in ${ROUNDS} times ${seconds} s, ${answered.length} answered with 200; load of the machine ${loadavg()[0]?.toFixed(1)}`,
)
say(`p50 / p90 / p99 in ms: deliveries ${shown(times)}, API without ${shown(quiet)}, API with ${shown(busy)}`)
say(`CPU time of the server for one delivery and its deployment: ${((cpu.busy - cpu.quiet) / COUNT).toFixed(1)} ms`)

const last = senders.flatMap((sender) => Array.from({ length: LAST_BURST }, async () => await deliver(prepare(sender))))
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
verdict('p99 of the answers, in seconds', percentile(times, 0.99) / 1000, { atMost: 1 })
verdict('p99 of the API, with against without', percentile(busy, 0.99) / percentile(quiet, 0.99), { atMost: 2 })
verdict('answered and lost', lost.length, { atMost: 0 })

await berth.stop()
await host[Symbol.asyncDispose]()
agent.destroy()
remove(dataDir)

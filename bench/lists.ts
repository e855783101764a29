import { makeDataDir, remove, signIn, startBerth } from './lib/berth.ts'
import { measure } from './lib/load.ts'
import { median, numberFlag, say, verdict } from './lib/numbers.ts'
import { MEMBER_EMAIL, seed } from './lib/seed.ts'

const LISTS = [
  { name: 'projects', who: 'member', method: 'GET', path: '/api/projects', body: '' },
  { name: 'apps/get', who: 'member', method: 'POST', path: '/api/apps/get', body: JSON.stringify({ projectId: 1 }) },
  { name: 'deployment/getByAppId', who: 'member', method: 'POST', path: '/api/deployment/getByAppId', body: JSON.stringify({ appId: 1 }) },
  { name: 'audit', who: 'owner', method: 'GET', path: '/api/audit', body: '' },
] as const

async function startWith(size: Parameters<typeof seed>[1]) {
  const dataDir = makeDataDir()
  await seed(dataDir, size)
  const berth = await startBerth(dataDir)
  const type = { 'content-type': 'application/json' }
  const owner = { cookie: await signIn(berth.url), ...type }
  const member = { cookie: await signIn(berth.url, MEMBER_EMAIL), ...type }
  return { ...berth, dataDir, headers: { owner, member } }
}

/** How much slower a list of the same length is when there is a thousand times as much in the database. */
const rounds = numberFlag('rounds', 7)
const seconds = numberFlag('seconds', 2)
const small = await startWith({ projects: 1, appsEach: 10, deploymentsEach: 10, auditEntries: 1000 })
const large = await startWith({ projects: 100, appsEach: 10, deploymentsEach: 101, auditEntries: 100_000 })
say(`small: 10 apps, 100 deployments. large: 1,000 apps, 100,000 deployments. p99 with 2 connections, ${rounds} rounds of ${seconds} s`)

for (const { name, who, ...list } of LISTS) {
  const ask = async (berth: typeof small) =>
    (
      await measure(
        { ...list, ...berth, headers: berth.headers[who], body: list.method === 'GET' ? '' : list.body, connections: 2 },
        seconds,
      )
    ).p99Ms
  await ask(small) // warm-up, so that cold code is not measured
  await ask(large)
  const times: { small: number; large: number }[] = []
  for (let round = 0; round < rounds; round += 1) times.push({ small: await ask(small), large: await ask(large) })
  const p99 = { small: median(times.map((time) => time.small)), large: median(times.map((time) => time.large)) }
  say(`${name}: small ${p99.small.toFixed(2)} ms, large ${p99.large.toFixed(2)} ms`)
  verdict(`  p99 of ${name}, large against small`, median(times.map((time) => time.large / time.small)), { atMost: 2 })
}
for (const berth of [small, large]) {
  await berth.stop()
  remove(berth.dataDir)
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import { databasePath } from '../../src/store/sqlite/open.ts'
import { startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

const WRITERS = 6
const LONGEST_BURST_MS = 400

export type KillCount = { rounds: number; answered: number; cut: number; lost: string[]; halfWritten: string[]; integrity: string[] }
/** The last confirmed value and the last one sent: after a kill one of them must be stored. */
type Counter = { appId: number; answered: number; sent: number }
type Burst = { projects: Map<number, string>; counters: Counter[]; answered: number; cut: number }

/** A client that writes as fast as it gets responses, and records what was confirmed. */
async function writer(berth: TestServer, cookie: string, burst: Burst, label: string): Promise<void> {
  const send = async (method: string, address: string, body: object): Promise<{ id: number }> => {
    const answer = await berth.raw(method, address, { cookie, body })
    if (answer.status !== 200) throw new Error(`${address} answered ${answer.text}`)
    burst.answered += 1
    return answer.json.data as { id: number } // everything that is created has an id
  }
  for (let n = 1; ; n += 1) {
    const name = `${label}-${n}`
    const project = await send('POST', '/api/projects/create', { name })
    burst.projects.set(project.id, name)
    const app = await send('POST', '/api/apps/create', { projectId: project.id, name: 'app', envVars: { FIRST: name } })
    const { id: envId } = await send('POST', '/api/apps/envs/create', { appId: app.id, key: 'COUNT', value: '0' })
    const counter: Counter = { appId: app.id, answered: 0, sent: 0 }
    burst.counters.push(counter)
    for (let value = 1; value <= 5; value += 1) {
      counter.sent = value
      await send('PUT', '/api/apps/envs/update', { id: envId, value: String(value) })
      counter.answered = value
    }
  }
}

async function writeUntilKilled(berth: TestServer, cookie: string, label: string): Promise<Burst> {
  const burst: Burst = { projects: new Map(), counters: [], answered: 0, cut: 0 }
  const failures: unknown[] = []
  let isKilled = false
  const writers = Array.from({ length: WRITERS }, async (_unused, index) => {
    await writer(berth, cookie, burst, `${label}-${index}`).catch((error: unknown) => {
      burst.cut += 1
      if (!isKilled) failures.push(error)
    })
  })
  await sleep(Math.random() * LONGEST_BURST_MS)
  isKilled = true
  await berth.kill9()
  await Promise.all(writers)
  if (failures.length > 0) throw new Error('a write failed before the kill', { cause: failures[0] })
  return burst
}

async function lostIn(berth: TestServer, cookie: string, burst: Burst): Promise<string[]> {
  const lost: string[] = []
  const list = await berth.raw('GET', '/api/projects', { cookie })
  const names = new Map((list.json.data as { id: number; name: string }[]).map(({ id, name }) => [id, name])) // the list's schema
  for (const [id, name] of burst.projects) if (names.get(id) !== name) lost.push(`project ${id} ${name}`)
  for (const counter of burst.counters) {
    const answer = await berth.raw('POST', '/api/apps/envs/get', { cookie, body: { appId: counter.appId } })
    const variables = (answer.json.data ?? []) as { key: string; value: string }[] // the list's schema
    const value = Number(variables.find(({ key }) => key === 'COUNT')?.value)
    if (value !== counter.answered && value !== counter.sent) lost.push(`the variable of app ${counter.appId} is ${value}`)
  }
  return lost
}

/** Row, member, event and audit line of a change exist together or not at all. */
function halfWrittenIn(dataDir: string): { halves: string[]; integrity: string } {
  const file = new BetterSqlite(databasePath(dataDir), { timeout: 10_000 })
  const count = (sql: string) => file.prepare(sql).pluck().get() as number // each is one count
  const projects = count('select count(*) from project')
  const counts = {
    members: count('select count(*) from project_member'),
    'project events': count(`select count(*) from event where type = 'project.created'`),
    'project audit lines': count(`select count(*) from audit where action = 'project.create'`),
  }
  const apps = {
    'first variables': count(`select count(*) from env_variable where key = 'FIRST'`),
    'app events': count(`select count(*) from event where type = 'app.created'`),
  }
  const appCount = count('select count(*) from app')
  const halves = [
    ...Object.entries(counts).filter(([, n]) => n !== projects),
    ...Object.entries(apps).filter(([, n]) => n !== appCount),
  ].map(([what, n]) => `${n} ${what} for ${projects} projects and ${appCount} apps`)
  const integrity = String(file.pragma('integrity_check', { simple: true }))
  const foreign = file.pragma('foreign_key_check') as unknown[] // one row a violation
  file.close()
  return { halves, integrity: foreign.length === 0 ? integrity : `${foreign.length} rows point nowhere` }
}

/** Repeatedly kills the server at a random moment of a burst of writes, and checks the confirmed ones. */
export async function killBursts(options: { rounds: number; onRound?: (count: KillCount) => void }): Promise<KillCount> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'berth-kills-')) // a real disk, because its writes take time
  const count: KillCount = { rounds: 0, answered: 0, cut: 0, lost: [], halfWritten: [], integrity: [] }
  try {
    await using berth = await startTestServer({ runs: 'as a process', dataDir, env: { BERTH_LOG_LEVEL: 'error' } })
    const { cookie } = await berth.owner()
    for (let round = 1; round <= options.rounds; round += 1) {
      const burst = await writeUntilKilled(berth, cookie, `r${round}`)
      await berth.startAgain()
      const { halves, integrity } = halfWrittenIn(dataDir)
      count.rounds = round
      count.answered += burst.answered
      count.cut += burst.cut
      count.lost.push(...(await lostIn(berth, cookie, burst)))
      count.halfWritten.push(...halves)
      if (integrity !== 'ok') count.integrity.push(integrity)
      options.onRound?.(count)
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
  return count
}

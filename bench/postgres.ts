import { cpus } from 'node:os'
import { startPostgres } from '../packages/server/testing/harness/postgres-cluster.ts'
import { makeDataDir, remove, signIn, startBerth } from './lib/berth.ts'
import { residentMegabytes } from './lib/child.ts'
import { measure } from './lib/load.ts'
import { median, numberFlag, say } from './lib/numbers.ts'

/** The API on PostgreSQL as a share of the same API on SQLite, in alternating rounds. Both write to the same disk, and durably. */
const ROUNDS = numberFlag('rounds', 7)
const SECONDS = numberFlag('seconds', 2)
const [PROJECTS, APPS_EACH] = [5, 10]

type Side = {
  url: string
  pid: number | undefined
  stop: () => Promise<void>
  dataDir: string
  cookie: string
  projectId: number
  appId: number
}

async function call(url: string, cookie: string, path: string, body: unknown): Promise<{ id: number }> {
  const headers = { cookie, 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (answer.status !== 200) throw new Error(`${path}: ${await answer.text()}`)
  return ((await answer.json()) as { data: { id: number } }).data // of the fields that are used here
}

async function open(env: Record<string, string>): Promise<Side> {
  const dataDir = makeDataDir()
  const berth = await startBerth(dataDir, { ...env, DOCKER_HOST: `unix://${dataDir}/no-engine.sock` })
  const cookie = await signIn(berth.url)
  const [projects, apps]: [number[], number[]] = [[], []]
  for (let p = 1; p <= PROJECTS; p += 1) {
    const { id: projectId } = await call(berth.url, cookie, '/api/projects/create', { name: `Project ${p}` })
    projects.push(projectId)
    for (let n = 1; n <= APPS_EACH; n += 1)
      apps.push((await call(berth.url, cookie, '/api/apps/create', { projectId, name: `Shop ${n}` })).id)
  }
  return { ...berth, dataDir, cookie, projectId: projects[0] ?? 0, appId: apps[0] ?? 0 }
}

await using postgres = await startPostgres({ isDurable: true })
const sqlite = await open({})
const server = await open({ BERTH_DATABASE_URL: await postgres.createDatabase() })

const requests = [
  { name: 'GET /api/auth/me', method: 'GET', path: () => '/api/auth/me', body: () => '' },
  { name: 'GET /api/projects', method: 'GET', path: () => '/api/projects', body: () => '' },
  { name: 'POST /api/apps/get', method: 'POST', path: () => '/api/apps/get', body: ({ projectId }: Side) => JSON.stringify({ projectId }) },
  {
    name: 'POST /api/apps/update',
    method: 'POST',
    path: () => '/api/apps/update',
    body: ({ appId }: Side) => JSON.stringify({ appId, description: 'x' }),
  },
]

async function ask(side: Side, { method, path, body }: (typeof requests)[number], seconds: number) {
  const text = body(side)
  const headers = { cookie: side.cookie, ...(text && { 'content-type': 'application/json' }) }
  return await measure({ url: side.url, method, path: path(), headers, body: text, connections: 8 }, seconds)
}

say(`${PROJECTS * APPS_EACH} apps, ${ROUNDS} rounds of ${SECONDS} s, 8 connections, ${cpus().length} cores for both servers and the client`)
for (const request of requests) {
  for (const side of [sqlite, server]) await ask(side, request, 1) // warm-up
  const [shares, ours, theirs]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    const onSqlite = round % 2 === 0 ? await ask(sqlite, request, SECONDS) : undefined
    const onServer = await ask(server, request, SECONDS)
    const { requestsPerSecond } = onSqlite ?? (await ask(sqlite, request, SECONDS))
    shares.push(onServer.requestsPerSecond / requestsPerSecond)
    ours.push(onServer.requestsPerSecond)
    theirs.push(requestsPerSecond)
  }
  say(`${request.name}: PostgreSQL ${median(ours).toFixed(0)}/s, SQLite ${median(theirs).toFixed(0)}/s, share ${median(shares).toFixed(2)}`)
}
const memory = (side: Side) => residentMegabytes(side.pid).toFixed(0)
say(`memory of Berth after that: ${memory(server)} MB on PostgreSQL, ${memory(sqlite)} MB on SQLite`)
for (const side of [sqlite, server]) {
  await side.stop()
  remove(side.dataDir)
}

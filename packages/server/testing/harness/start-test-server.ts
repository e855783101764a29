import { chmod, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Call, Role, SocketName } from '@berth/contract'
import { pino } from 'pino'
import { createApp } from '../../src/app/app.ts'
import { readConfig } from '../../src/config.ts'
import { ownPostgres } from './own-postgres.ts'
import { cookieOf, createCheckedClient, createRaw } from './test-client.ts'
import { startServerProcess } from './test-process.ts'
import { openSocket, type SocketOptions } from './test-socket.ts'

export const OWNER = { email: 'owner@example.test', password: 'owner-password-1' } as const
export const PASSWORD = 'a-good-password'

export type TestServerOptions = {
  /** A separate process can be killed; within the test process it starts faster. */
  runs?: 'here' | 'as a process'
  /** Without an owner the server waits to be set up. */
  owner?: 'by environment' | 'none'
  /** Kept by the caller: not removed at the end. */
  dataDir?: string
  /** With BERTH_DATABASE_URL it is that database, and SQLite if it is empty; otherwise the one of these tests. */
  env?: Record<string, string>
  tuning?: Record<string, number>
  /** Where a process of its own writes what it says; otherwise the test keeps it. */
  logFile?: string
  /** The network namespace that a process of its own runs in. */
  namespace?: string
}
export type Person = { id: number; email: string; role: Role; cookie: string; call: Call }
type Running = {
  pid: number
  baseUrl: string
  setupToken: string | undefined
  log: () => string
  stop: () => Promise<void>
  kill9: () => Promise<void>
}

function environmentOf(dataDir: string, options: TestServerOptions): Record<string, string> {
  return {
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    BERTH_DATA_DIR: dataDir,
    BERTH_PROVISION: 'off',
    DOCKER_HOST: `unix://${dataDir}/no-engine.sock`,
    BERTH_TEST_TUNING: JSON.stringify({ engineWaitMs: 200, resolveAtAddMs: 500, ...options.tuning }),
    ...(options.owner === 'none' ? {} : { BERTH_OWNER_EMAIL: OWNER.email, BERTH_OWNER_PASSWORD: OWNER.password }),
    ...options.env,
  }
}

async function startHere(env: Record<string, string>): Promise<Running> {
  const lines: string[] = []
  const log = pino({ level: env['BERTH_LOG_LEVEL'] ?? 'info', base: null }, { write: (line: string) => void lines.push(line) })
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', MAIN] // this process is Vitest
  const config = { ...readConfig({ PATH: process.env['PATH'], ...env }), program }
  await mkdir(config.workDir, { recursive: true, mode: 0o711 })
  const app = await createApp(config, log)
  const { address, setupToken } = await app.start()
  const kill9 = () => Promise.reject(new Error('only a server that runs as a process can be killed'))
  return { pid: process.pid, baseUrl: address, setupToken, log: () => lines.join(''), stop: app.stop, kill9 }
}

async function startProcess(env: Record<string, string>, where: Pick<TestServerOptions, 'logFile' | 'namespace'>): Promise<Running> {
  const server = await startServerProcess(env, where)
  return {
    ...server,
    stop: async () => {
      const begunAt = performance.now()
      const exitCode = await server.signal('SIGTERM')
      const hadCrashed = exitCode === null && performance.now() - begunAt < FORCED_AFTER_MS // on purpose, in tests of crashes
      if (exitCode !== 0 && !hadCrashed) throw new Error(`the server did not stop cleanly: ${server.log().slice(-2000)}`)
    },
    kill9: async () => void (await server.signal('SIGKILL')),
  }
}

/** Where git checks out when the tests run as root; the server makes it, and it must not stay behind. */
function workDirOf(dataDir: string): string {
  return readConfig({ BERTH_DATA_DIR: dataDir }).workDir
}

const MAIN = path.resolve(import.meta.dirname, '../../src/main.ts')
/** A server that does not stop by itself ends itself by a signal, but not before. */
const FORCED_AFTER_MS = 20_000
const MEMORY = '/dev/shm'
const ROOM_BYTES = 512 * 1024 * 1024

/** In memory if there is space: every write of the server waits for the disk, and these tests do not depend on one. */
async function fastestDirectory(): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => undefined)
  return memory && memory.bavail * memory.bsize > ROOM_BYTES ? MEMORY : tmpdir()
}

export async function newDataDir(): Promise<string> {
  const dataDir = await mkdtemp(path.join(await fastestDirectory(), 'berth-test-'))
  await chmod(dataDir, 0o700)
  return dataDir
}

/** The real server on a data directory of its own, without an engine unless `env` names one. */
export async function startTestServer(options: TestServerOptions = {}) {
  const dataDir = options.dataDir ?? (await newDataDir())
  const postgres = options.env?.['BERTH_DATABASE_URL'] === undefined ? await ownPostgres() : undefined
  const env = environmentOf(dataDir, options)
  if (postgres) env['BERTH_DATABASE_URL'] = postgres.url
  const begin = async () => await (options.runs === 'as a process' ? startProcess(env, options) : startHere(env))
  let running: Running | undefined = await begin()
  let lastUrl = running.baseUrl
  const baseUrl = () => lastUrl
  const http = createRaw(baseUrl)
  const people = new Map<string, Person>()

  async function logIn(email: string, password: string): Promise<Person> {
    const answer = await http.raw('POST', '/api/auth/login', { body: { email, password } })
    if (answer.status !== 200) throw new Error(`${email} could not log in: ${answer.text}`)
    const { user } = answer.json.data as { user: { id: number; email: string; role: Role } } // the schema of a login, checked elsewhere
    const cookie = cookieOf(answer)
    return { ...user, cookie, call: createCheckedClient(baseUrl, () => cookie) }
  }

  /** The person with this name, created on the first call; everybody has the same password. */
  async function as(name: string, role: 'user' | 'admin' = 'user'): Promise<Person> {
    const known = people.get(name)
    if (known) return known
    const email = `${name}@example.test`
    await (await owner()).call('users.create', { email, password: PASSWORD, role })
    const person = await logIn(email, PASSWORD)
    people.set(name, person)
    return person
  }

  async function owner(): Promise<Person> {
    const person = people.get('owner') ?? (await logIn(OWNER.email, OWNER.password))
    people.set('owner', person)
    return person
  }

  async function end(how: 'stop' | 'kill9'): Promise<void> {
    const ending = running
    running = undefined
    await ending?.[how]()
  }

  async function restart(): Promise<void> {
    await end('stop')
    await startAgain()
  }

  async function startAgain(): Promise<void> {
    running = await begin()
    lastUrl = running.baseUrl
  }

  return {
    get baseUrl() {
      return lastUrl
    },
    dataDir,
    env,
    raw: http.raw,
    anonymous: createCheckedClient(baseUrl, () => ''),
    pid: () => running?.pid ?? 0,
    setupToken: () => running?.setupToken,
    owner,
    as,
    logIn,
    connect: async (name: SocketName, socket: SocketOptions = {}) => await openSocket(name, lastUrl, socket),
    stop: async () => await end('stop'),
    kill9: async () => await end('kill9'),
    restart,
    startAgain,
    log: () => running?.log() ?? '',
    async [Symbol.asyncDispose](): Promise<void> {
      http.close()
      await end('stop')
      await rm(workDirOf(dataDir), { recursive: true, force: true })
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
      await postgres?.drop()
    },
  }
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>

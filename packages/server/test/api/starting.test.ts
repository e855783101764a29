import { once } from 'node:events'
import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { newDataDir, startTestServer } from '../../testing/harness/start-test-server.ts'
import { runServerToItsEnd, startServerProcess } from '../../testing/harness/test-process.ts'

let directory: string
beforeAll(async () => {
  directory = await newDataDir()
})
const dataDirs: string[] = []
afterAll(async () => {
  await rm(directory, { recursive: true })
  for (const dataDir of dataDirs) await rm(readConfig({ BERTH_DATA_DIR: dataDir }).workDir, { recursive: true, force: true })
})

function environment(env: Record<string, string> = {}): Record<string, string> {
  const own = path.join(directory, `data-${Math.random().toString(36).slice(2)}`)
  dataDirs.push(own)
  return { HOST: '127.0.0.1', PORT: '0', BERTH_DATA_DIR: own, BERTH_PROVISION: 'off', DOCKER_HOST: 'unix:///nonexistent.sock', ...env }
}

/** One sentence on standard error, nothing else, and exit code 1. */
async function refusalOf(env: Record<string, string>): Promise<string> {
  const { exitCode, out, errors } = await runServerToItsEnd(env)
  expect([exitCode, out]).toEqual([1, ''])
  expect(errors).toMatch(/^[^\n]+\.\n$/)
  return errors
}

describe('a start that fails says what to do', () => {
  it.each([
    [{ PORT: 'abc' }, 'PORT="abc" is not valid: it must be a whole number between 0 and 65535.'],
    [{ PORT: '70000' }, 'PORT="70000"'],
    [{ PORT: '-1' }, 'PORT="-1"'],
    [{ BERTH_WORKERS: '0' }, 'BERTH_WORKERS="0" is not valid: it must be a whole number between 1 and 64.'],
    [{ BERTH_LOG_LEVEL: 'loud' }, 'BERTH_LOG_LEVEL="loud" is not valid: it must be one of trace, debug'],
    [{ BERTH_PROVISION: 'maybe' }, 'BERTH_PROVISION="maybe" is not valid: it must be one of auto, off.'],
    [{ DOCKER_HOST: 'ftp://x' }, 'DOCKER_HOST="ftp://x" is not valid: it must be unix:///path/to/docker.sock or tcp://host:port.'],
    [{ BERTH_EDGE_HTTP_PORT: '0' }, 'BERTH_EDGE_HTTP_PORT="0"'],
    [{ BERTH_DATABASE_URL: 'mysql://a:secret@x' }, 'BERTH_DATABASE_URL is not valid: it must be like postgres://user:password@host:5432/'],
    [
      { BERTH_DATABASE_URL: 'postgres://a:secret@127.0.0.1:1/b' },
      'The database of BERTH_DATABASE_URL cannot be used: connect ECONNREFUSED',
    ],
    [{ BERTH_OWNER_EMAIL: 'nobody', BERTH_OWNER_PASSWORD: 'a-password' }, 'BERTH_OWNER_EMAIL="nobody" is not valid'],
    [{ BERTH_OWNER_EMAIL: 'a@example.test' }, 'BERTH_OWNER_PASSWORD is not valid: it must be at least 8 characters'],
    [{ BERTH_OWNER_EMAIL: 'a@example.test', BERTH_OWNER_PASSWORD: 'short' }, 'BERTH_OWNER_PASSWORD is not valid'],
    [{ HOST: '192.0.2.1' }, 'HOST="192.0.2.1" is not an address of this machine.'],
  ])('%j', async (env, sentence) => expect(await refusalOf(environment(env))).toContain(sentence))

  it('never shows the password', async () => {
    expect(await refusalOf(environment({ BERTH_OWNER_EMAIL: 'a@example.test', BERTH_OWNER_PASSWORD: 'hunter2' }))).not.toContain('hunter2')
  })

  it('a taken port', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo // a listening TCP server has one
    expect(await refusalOf(environment({ PORT: String(port) }))).toContain(
      `Port ${port} is already in use. Stop the program that uses it, or set PORT`,
    )
    other.close()
  })

  it('a data directory that cannot be written', async () => {
    const file = path.join(directory, 'a-file')
    await writeFile(file, '')
    expect(await refusalOf(environment({ BERTH_DATA_DIR: path.join(file, 'data') }))).toContain('is not writable. Set BERTH_DATA_DIR')
  })

  it('a data directory that another server uses', async () => {
    await using berth = await startTestServer()
    expect(await refusalOf({ ...berth.env, PORT: '0' })).toContain('Another Berth is using the data directory')
    expect((await berth.raw('GET', '/health')).status).toBe(200)
  })

  it('a database that is damaged', async () => {
    const env = environment()
    const dataDir = env['BERTH_DATA_DIR'] ?? ''
    await mkdir(dataDir)
    await writeFile(path.join(dataDir, 'berth.sqlite'), 'no database')
    for (const key of ['secrets.key', 'session.key']) await writeFile(path.join(dataDir, key), Buffer.alloc(32))
    expect(await refusalOf(env)).toContain('is damaged and was not changed')
  })
})

describe('a start', () => {
  it('prints the address, the setup link, the state of engine and edge, and the data directory', async () => {
    const env = environment()
    const server = await startServerProcess(env)
    expect(server.log()).toMatch(/Berth listens on {3}http:\/\/127\.0\.0\.1:\d+/)
    expect(server.log()).toMatch(/Set it up here {5}http:\/\/127\.0\.0\.1:\d+\/setup#token=[\w-]{32}/)
    expect(server.log()).toMatch(/Docker {13}\S/)
    expect(server.log()).toMatch(/Proxy {14}\S/)
    expect(server.log()).toContain(env['BERTH_DATA_DIR'])
    expect(await server.signal('SIGTERM')).toBe(0)
    expect(server.errors()).toBe('')
  })

  it('logs JSON without a terminal, and text if requested', async () => {
    const warning = async (env: Record<string, string>) => {
      const server = await startServerProcess({ ...environment(), ...env })
      const lines = () => server.log().split('\n')
      const isWarning = (line: string) => line.includes('BERTH_PROVISION=off') && !line.startsWith(' ')
      // Berth looks for the engine in parallel, so the warning may come after the address.
      await vi.waitUntil(() => lines().some(isWarning), { timeout: 20_000 })
      await server.signal('SIGTERM')
      return lines().filter(isWarning)
    }
    expect(await warning({})).toEqual([expect.stringMatching(/^\{"level":40,"time":"/)])
    expect(await warning({ BERTH_LOG_FORMAT: 'text' })).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d warn {2}No container engine answers/),
    ])
  })

  it('makes its directory for itself alone, also when it was open', async () => {
    const env = environment()
    await mkdir(env['BERTH_DATA_DIR'] ?? '')
    await chmod(env['BERTH_DATA_DIR'] ?? '', 0o755)
    const server = await startServerProcess(env)
    await server.signal('SIGINT')
    expect((await stat(env['BERTH_DATA_DIR'] ?? '')).mode & 0o777).toBe(0o700)
  })

  it('never logs a secret', async () => {
    const email = 'owner@example.test'
    const env = environment({ BERTH_OWNER_EMAIL: email, BERTH_OWNER_PASSWORD: 'planted-secret-1', BERTH_LOG_LEVEL: 'trace' })
    await using berth = await startTestServer({ runs: 'as a process', dataDir: env['BERTH_DATA_DIR'] ?? '', env })
    const { call, cookie } = await berth.logIn(email, 'planted-secret-1')
    const project = await call('projects.create', { name: 'p' })
    const app = await call('apps.create', { projectId: project.id, name: 'a', envVars: { KEY: 'planted-secret-2' } })
    await call('users.create', { email: 'x@example.test', password: 'planted-secret-3' })
    await berth.raw('GET', `/api/apps/connection?appId=${app.id}&token=planted-secret-4`, { cookie })
    await berth.raw('POST', '/api/projects/create', { cookie, body: '{"name": planted-secret-5' })
    await berth.raw('POST', '/api/auth/login', { body: { email, password: 'planted-secret-6' } })
    const log = await logAtTheEnd(berth)
    expect(log).toContain('"path":"/api/users/create"')
    expect(log).not.toContain('planted-secret')
    expect(log).not.toContain(cookie.slice(-40))
  })

  it('SIGTERM stops it cleanly: sockets are closed with 1001, and the next start continues', async () => {
    await using berth = await startTestServer({ runs: 'as a process' })
    const { cookie } = await berth.owner()
    await using socket = await berth.connect('events', { cookie })
    await socket.waitFor(({ type }) => type === 'ready')
    await berth.stop()
    expect(await socket.closed).toBe(1001)
    await berth.startAgain()
    expect((await berth.raw('GET', '/api/auth/me', { cookie })).status).toBe(200)
  })
})

/** The log is written in batches, so a request appears in it a moment later. */
async function logAtTheEnd(berth: { log: () => string }): Promise<string> {
  const deadline = performance.now() + 20_000
  while (!berth.log().includes('"status":401') && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50))
  return berth.log()
}

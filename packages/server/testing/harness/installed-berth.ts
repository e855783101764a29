import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlink, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UpdateStatus } from '@berth/contract'
import { readConfig } from '../../src/config.ts'
import { freePort } from './listening.ts'
import { OWNER } from './start-test-server.ts'
import { cookieOf, createCheckedClient, createRaw } from './test-client.ts'
import { FIRST_VERSION, unpackArchive } from './test-releases.ts'

type Options = { directory: string; archive: string; feed: string; key: string }
const WITHIN_MS = 150_000

type Given = { port: number; dataDir: string; feed: string; key: string; tuning: Record<string, number> }

function environmentOf({ port, dataDir, feed, key, tuning }: Given): Record<string, string> {
  const times = {
    updateWatchMs: 1200,
    updateHealthMs: 100,
    updateRetryMs: 50,
    updateFreshMs: 0,
    updateStartMs: 30_000,
    updateSpareBytes: 0,
    ...tuning,
  }
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: String(port),
    BERTH_DATA_DIR: dataDir,
    BERTH_PROVISION: 'off',
    DOCKER_HOST: `unix://${dataDir}/no-engine.sock`,
    BERTH_OWNER_EMAIL: OWNER.email,
    BERTH_OWNER_PASSWORD: OWNER.password,
    BERTH_UPDATE_FEED: feed,
    BERTH_UPDATE_KEY: key,
    BERTH_TEST_TUNING: JSON.stringify(times),
  }
}

/** Berth as it is on a machine: unpacked from an archive, and run by its supervisor. */
export async function installBerth({ directory, archive, feed, key }: Options) {
  const root = path.join(directory, 'opt')
  const dataDir = path.join(directory, 'data')
  await unpackArchive(archive, path.join(root, 'releases', FIRST_VERSION))
  await symlink(path.join('releases', FIRST_VERSION), path.join(root, 'current'))
  const port = await freePort()
  const baseUrl = () => `http://127.0.0.1:${port}`
  const http = createRaw(baseUrl)
  let supervisor: ChildProcess | undefined
  let said = ''
  let cookie = ''

  async function start(env: Record<string, string> = {}, tuning: Record<string, number> = {}): Promise<void> {
    const child = spawn(path.join(root, 'current/bin/berth-supervisor'), [], {
      env: { ...environmentOf({ port, dataDir, feed, key, tuning }), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    supervisor = child
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await answers()
  }

  async function health(): Promise<{ version?: string } | undefined> {
    const answer = await http.raw('GET', '/health').catch(() => undefined)
    return answer?.status === 200 ? (answer.json as { version?: string }) : undefined // a bare answer
  }

  async function answers(): Promise<void> {
    await until(async () => (await health()) !== undefined, 'it answers')
  }

  async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
    const giveUpAt = performance.now() + WITHIN_MS
    while (!(await isSo())) {
      if (performance.now() > giveUpAt) throw new Error(`waited for long until ${what}:\n${said.slice(-5000)}`)
      await sleep(30)
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const child = supervisor
    supervisor = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'close')
  }

  /** Undefined while it is away for a switch. */
  async function status(): Promise<UpdateStatus | undefined> {
    const answer = await http.raw('GET', '/api/updates/status', { cookie }).catch(() => undefined)
    return answer?.status === 200 ? (answer.json.data as UpdateStatus) : undefined // the schema is checked in other tests
  }

  /** The end of the newest update. */
  async function outcome(): Promise<UpdateStatus> {
    let last: UpdateStatus | undefined
    await until(async () => (last = await status()) !== undefined && last.state !== 'in_progress', 'the update has ended')
    if (!last) throw new Error('no status')
    return last
  }

  return {
    url: baseUrl(),
    dataDir,
    root,
    raw: http.raw,
    start,
    status,
    outcome,
    health,
    answers,
    until,
    call: createCheckedClient(baseUrl, () => cookie),
    cookie: () => cookie,
    async logIn(): Promise<void> {
      cookie = cookieOf(await http.raw('POST', '/api/auth/login', { body: OWNER }))
    },
    current: async () => path.basename(await readlink(path.join(root, 'current'))),
    stop: async () => await end('SIGTERM'),
    kill9: async () => await end('SIGKILL'),
    hasEnded: async () => supervisor === undefined || supervisor.exitCode !== null || supervisor.signalCode !== null,
    pid: () => supervisor?.pid ?? 0,
    said: () => said,
    async [Symbol.asyncDispose](): Promise<void> {
      http.close()
      await end('SIGTERM')
      await rm(readConfig({ BERTH_DATA_DIR: dataDir }).workDir, { recursive: true, force: true })
    },
  }
}

export type InstalledBerth = Awaited<ReturnType<typeof installBerth>>

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundledMain } from './server-bundle.ts'

const PRODUCT = path.resolve(import.meta.dirname, '../../../../scripts/lib/server-process.mjs')
type Product = { nodeFlags: string[]; environment: Record<string, string> }
const START_WITHIN_MS = 60_000

export type ServerProcess = {
  pid: number
  baseUrl: string
  setupToken: string | undefined
  log: () => string
  errors: () => string
  signal: (signal: NodeJS.Signals) => Promise<number | null>
}
export type Ended = { exitCode: number | null; out: string; errors: string }

/** `namespace`: the network that it runs in. */
type Where = { logFile?: string | undefined; namespace?: string | undefined }

/** The flags and variables that `npm start` uses, so that tests run what people run. */
async function launch(command: readonly string[], env: Record<string, string>, { logFile, namespace }: Where = {}) {
  const { nodeFlags, environment } = (await import(PRODUCT)) as Product // plain JavaScript, typed here
  const log = logFile === undefined ? undefined : openSync(logFile, 'a')
  const words = [process.execPath, '--no-warnings', ...nodeFlags, ...command]
  const [program = '', ...args] = namespace === undefined ? words : ['nsenter', `--net=/run/netns/${namespace}`, ...words]
  const child: ChildProcess = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', ...environment, ...env },
    stdio: ['ignore', log ?? 'pipe', 'pipe'],
  })
  if (log !== undefined) closeSync(log)
  const closed = once(child, 'close')
  let [out, errors] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const said = () => (logFile === undefined ? out : readFileSync(logFile, 'utf8'))
  return { child, closed, out: said, errors: () => errors, hasEnded: () => child.exitCode !== null || child.signalCode !== null }
}

/** The real server as a process of its own, once it listens. */
export async function startServerProcess(env: Record<string, string>, where: Where = {}): Promise<ServerProcess> {
  const server = await launch([await bundledMain()], env, where)
  const deadline = performance.now() + START_WITHIN_MS
  let baseUrl: string | undefined
  while (baseUrl === undefined) {
    baseUrl = /Berth listens on +(http:\S+)/.exec(server.out())?.[1]
    if (baseUrl !== undefined) break
    if (server.hasEnded() || performance.now() > deadline) {
      server.child.kill('SIGKILL')
      await server.closed
      throw new Error(`the server did not start: ${server.errors()}${server.out()}`)
    }
    await sleep(10)
  }
  return {
    pid: server.child.pid ?? 0,
    baseUrl,
    setupToken: /setup#token=(\S+)/.exec(server.out())?.[1],
    log: server.out,
    errors: server.errors,
    async signal(signal) {
      server.child.kill(signal)
      await server.closed
      return server.child.exitCode
    },
  }
}

/** For starts that fail: the output and the exit code. A process that does not exit is killed. */
export async function runServerToItsEnd(env: Record<string, string>, args: readonly string[] = []): Promise<Ended> {
  const server = await launch([await bundledMain(), ...args], env)
  const timer = setTimeout(() => server.child.kill('SIGKILL'), START_WITHIN_MS)
  await server.closed
  clearTimeout(timer)
  return { exitCode: server.child.exitCode, out: server.out(), errors: server.errors() }
}

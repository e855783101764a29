import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { addressText, type EngineAddress } from '../engine/api/address.ts'
import { poll } from '../lib/retry.ts'
import { engineAnswers, isListening } from './engine-ping.ts'
import { moveToOwnGroup } from './engine-process-cgroup.ts'
import { engineStartLock } from './engine-start-lock.ts'
import { isServiceManagerRunning, runSystemCommand } from './system-command.ts'

/** `pid` is only set if this call started the process, so that it can be stopped. */
export type EngineStart = { ok: true; pid: number | undefined } | { ok: false; reason: string }

/**
 * Published ports are handled by the kernel alone, because the firewall around the engine would block the engine's own proxy (decision
 * 8). Build steps, which all run on the engine's default bridge, cannot reach each other. The engine downloads three layers at a time unless
 * it is told otherwise, so one image could keep all others waiting; while it builds, it needs a MiB of memory for each.
 */
export const OWN_ENGINE_FLAGS = ['--userland-proxy=false', '--icc=false', '--max-concurrent-downloads=50']

const startTimeoutMs = 60_000
const pollMs = 200

// By its full path, because a service's PATH may lack the sbin directories.
const enginePaths = ['/usr/sbin/dockerd', '/usr/bin/dockerd', '/usr/local/bin/dockerd']
const engineBinary = (): string | undefined => enginePaths.find((file) => existsSync(file))

export const hasEngineBinary = (): boolean => engineBinary() !== undefined

/** Starts the machine's own engine: as a service if there is a service manager, otherwise as a process that outlives us. */
export async function startEngine(options: { engine: EngineAddress; logDir: string; signal?: AbortSignal }): Promise<EngineStart> {
  const { engine, logDir, signal } = options
  if (!isServiceManagerRunning()) return startEngineProcess({ engine, logDir, flags: OWN_ENGINE_FLAGS, ...(signal && { signal }) })
  const service = await runSystemCommand('systemctl', ['start', 'docker'], { timeoutMs: startTimeoutMs, signal })
  if (!service.ok) return { ok: false, reason: `systemctl start docker: ${service.output}` }
  const answered = await untilEngineAnswers(engine, () => true, signal)
  return answered
    ? { ok: true, pid: undefined }
    : { ok: false, reason: `the Docker service is running but does not answer on ${addressText(engine)}` }
}

export function logFileIn(logDir: string): string {
  return path.join(logDir, 'dockerd.log')
}

type ProcessOptions = {
  engine: EngineAddress
  logDir: string
  flags: readonly string[]
  env?: NodeJS.ProcessEnv
  signal?: AbortSignal
}

/**
 * Starts dockerd in its own session, with its log in `logDir`, and waits until it responds. One that is there already, or that somebody
 * else is starting, is waited for: a second one would take its socket away.
 */
export async function startEngineProcess(options: ProcessOptions): Promise<EngineStart> {
  const { engine, signal } = options
  await using _lock = await engineStartLock(engine, startTimeoutMs)
  if (!('socketPath' in engine) || !(await isListening(engine))) return await startProcess(options)
  const answered = await untilEngineAnswers(engine, () => true, signal)
  return answered ? { ok: true, pid: undefined } : { ok: false, reason: `it is running on ${addressText(engine)}, but does not answer` }
}

async function startProcess(options: ProcessOptions): Promise<EngineStart> {
  const { engine, logDir, flags, env, signal } = options
  await mkdir(logDir, { recursive: true })
  const logFile = logFileIn(logDir)
  const log = await open(logFile, 'a')
  try {
    const child = spawn(engineBinary() ?? 'dockerd', ['--host', addressText(engine), ...flags], {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...(env && { env }),
    })
    let isRunning = true
    child.once('exit', () => (isRunning = false))
    child.once('error', () => (isRunning = false))
    child.unref()
    if (child.pid !== undefined) await moveToOwnGroup(child.pid)
    if (await untilEngineAnswers(engine, () => isRunning, signal)) return { ok: true, pid: child.pid }
    return { ok: false, reason: isRunning ? `dockerd is not responding yet, see ${logFile}` : await lastWords(logFile) }
  } finally {
    await log.close()
  }
}

async function untilEngineAnswers(engine: EngineAddress, isRunning: () => boolean, signal?: AbortSignal): Promise<boolean> {
  const until = (answers: boolean) => answers || !isRunning() || signal?.aborted === true
  return await poll(() => engineAnswers(engine, signal), { until, everyMs: pollMs, limitMs: startTimeoutMs })
}

async function lastWords(logFile: string): Promise<string> {
  const line = (await readFile(logFile, 'utf8')).trim().split('\n').at(-1) ?? ''
  return line === '' ? 'dockerd could not be started' : `dockerd ended: ${line.slice(0, 500)}`
}

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import type { TestProject } from 'vitest/node'
import { readConfig } from '../../src/config.ts'
import type { EngineAddress } from '../../src/engine/api/address.ts'
import { engineAnswers } from '../../src/provision/engine-ping.ts'
import { OWN_ENGINE_FLAGS, startEngineProcess } from '../../src/provision/engine-process.ts'
import { engineStartLock } from '../../src/provision/engine-start-lock.ts'
import { endProcess } from './end-process.ts'
import { engineOf, isEngineUsed, joinRuns, leaveRuns } from './engine-runs.ts'
import { bundleForAll } from './server-bundle.ts'
import { ensureTestPackages, type MissingPackage } from './system-packages.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Debian packages that could not be installed. */
    missingPackages: MissingPackage[]
    /** The engine for tests, or why there is none. */
    engine: EngineAddress | { unavailable: string }
  }
}

const cacheDir = path.resolve(import.meta.dirname, '../../../../node_modules/.cache/berth/engine')
const stateDir = '/run/berth-test-engine' // short, because unix sockets below it have names of at most 107 bytes
const runsDir = `${stateDir}/runs`
const startTimeoutMs = 60_000
const pidFile = `${stateDir}/docker.pid`
const stopTimeoutMs = 45_000 // of vitest.config.ts, `teardownTimeout` is longer

const say = (text: string): boolean => process.stdout.write(`${text}\n`)
const log: Pick<Logger, 'info' | 'warn'> = { info: announce, warn: announce }
const { engine } = readConfig({ DOCKER_HOST: process.env['DOCKER_HOST'] })

/** Sets up everything the tests need on the machine; runs once, before the first test file. */
export async function setup(project: TestProject): Promise<void> {
  await bundleForAll()
  const missing = await ensureTestPackages(log)
  for (const { name, neededFor, reason } of missing)
    say(`CANNOT RUN: ${neededFor}. The Debian package ${name} could not be installed: ${reason}`)
  const engine = await ensureTestEngine()
  if ('unavailable' in engine) say(`CANNOT RUN: suites that need a container engine. ${engine.unavailable}`)
  project.provide('missingPackages', missing)
  project.provide('engine', engine)
}

/** The last of the test runs on this machine stops the engine, if a test run started it and nobody else uses it by now. */
export async function teardown(): Promise<void> {
  await using _lock = await engineStartLock(engine, startTimeoutMs) // no run can join meanwhile
  const isLast = await leaveRuns(runsDir)
  const pid = isLast ? await engineOf(pidFile) : undefined
  if (pid === undefined) return
  if (await isEngineUsed(engine)) return void say(`The engine of the tests goes on: another program uses it by now. Its process is ${pid}.`)
  if (await endProcess(pid, stopTimeoutMs)) return
  say(`The engine of the tests did not end within ${stopTimeoutMs / 1000} seconds and was killed.`)
}

async function ensureTestEngine(): Promise<EngineAddress | { unavailable: string }> {
  await join()
  if (await engineAnswers(engine)) return engine
  if (!('socketPath' in engine)) return { unavailable: `no engine answers at ${engine.host}:${engine.port}` }
  await mkdir(stateDir, { recursive: true })
  const flags = [...OWN_ENGINE_FLAGS, '--data-root', `${cacheDir}/data`, '--exec-root', `${stateDir}/exec`, '--pidfile', pidFile]
  // The scheduler of its BuildKit has a race that locks up every build (moby/buildkit#3628), and our suites cancel builds by the hundred.
  const env = { ...process.env, GOMAXPROCS: '1' }
  const started = await startEngineProcess({ engine, logDir: cacheDir, flags, env })
  if (!started.ok) return { unavailable: started.reason }
  return engine
}

async function join(): Promise<void> {
  await using _lock = await engineStartLock(engine, startTimeoutMs)
  await joinRuns(runsDir)
}

function announce(fields: unknown, message?: string): void {
  say(`${message ?? ''} ${JSON.stringify(fields)}`)
}

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import type { TestProject } from 'vitest/node'
import { readConfig } from '../../src/config.ts'
import type { EngineAddress } from '../../src/engine/api/address.ts'
import { engineAnswers } from '../../src/provision/engine-ping.ts'
import { OWN_ENGINE_FLAGS, startEngineProcess } from '../../src/provision/engine-process.ts'
import { endProcess } from './end-process.ts'
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
const stopTimeoutMs = 45_000 // of vitest.config.ts, `teardownTimeout` is longer

const say = (text: string): boolean => process.stdout.write(`${text}\n`)
const log: Pick<Logger, 'info' | 'warn'> = { info: announce, warn: announce }
let startedPid: number | undefined

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

/** Stops the engine only if `setup` started it. */
export async function teardown(): Promise<void> {
  if (startedPid === undefined || (await endProcess(startedPid, stopTimeoutMs))) return
  say(`The engine of the tests did not end within ${stopTimeoutMs / 1000} seconds and was killed.`)
}

async function ensureTestEngine(): Promise<EngineAddress | { unavailable: string }> {
  const { engine } = readConfig({ DOCKER_HOST: process.env['DOCKER_HOST'] })
  if (await engineAnswers(engine)) return engine
  if (!('socketPath' in engine)) return { unavailable: `no engine answers at ${engine.host}:${engine.port}` }
  await mkdir(stateDir, { recursive: true })
  const flags = [
    ...OWN_ENGINE_FLAGS,
    '--data-root',
    `${cacheDir}/data`,
    '--exec-root',
    `${stateDir}/exec`,
    '--pidfile',
    `${stateDir}/docker.pid`,
  ]
  // The scheduler of its BuildKit has a race that locks up every build (moby/buildkit#3628), and our suites cancel builds by the hundred.
  const env = { ...process.env, GOMAXPROCS: '1' }
  const started = await startEngineProcess({ engine, logDir: cacheDir, flags, env })
  if (!started.ok) return { unavailable: started.reason }
  startedPid = started.pid
  return engine
}

function announce(fields: unknown, message?: string): void {
  say(`${message ?? ''} ${JSON.stringify(fields)}`)
}

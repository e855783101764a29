import path from 'node:path'
import type { Logger } from 'pino'
import { addressText, type EngineAddress } from '../engine/api/address.ts'
import { canInstallPackages, installDebianPackage } from './debian-packages.ts'
import { limitEngineLog } from './engine-log.ts'
import { engineAnswers } from './engine-ping.ts'
import { hasEngineBinary, logFileIn, startEngine } from './engine-process.ts'

export type ProvisioningPhase = 'checking' | 'installing' | 'starting' | 'ready' | 'off' | 'failed'
export type ProvisioningState = { phase: ProvisioningPhase; message: string }

export type Provisioning = ReturnType<typeof createProvisioning>

/** Provides a container engine while the server is already listening: uses the one that responds, or else installs and starts Debian's. */
export function createProvisioning(deps: {
  log: Pick<Logger, 'info' | 'warn'>
  mode: 'auto' | 'off'
  engine: EngineAddress
  dataDir: string
}) {
  const { log, mode, engine } = deps
  const logDir = path.join(deps.dataDir, 'engine')
  let current: ProvisioningState = { phase: 'checking', message: 'looking for a container engine' }

  function enter(phase: ProvisioningPhase, message: string): ProvisioningState {
    current = { phase, message }
    const level = phase === 'failed' || phase === 'off' ? 'warn' : 'info'
    log[level]({ phase, engine: addressText(engine) }, message)
    return current
  }

  /** Runs until it has a result. Every step has its own deadline, and the signal ends the current one. */
  async function ensureEngine(signal: AbortSignal): Promise<ProvisioningState> {
    if (await engineAnswers(engine, signal)) return enter('ready', 'the container engine answers')
    const obstacle = whyNot({ mode, engine })
    if (obstacle) return enter(mode === 'off' ? 'off' : 'failed', obstacle)
    if (!hasEngineBinary()) {
      enter('installing', "no container engine answers: installing Debian's (docker.io, iptables)")
      const installed = await installDebianPackage(['docker.io', 'iptables'], { log, signal })
      if (!installed.ok)
        return enter('failed', `${installed.missing.join(', ')} could not be installed: ${installed.reason}. ${advice(engine)}`)
    }
    enter('starting', 'starting the container engine')
    const started = await startEngine({ engine, logDir, signal })
    if (!started.ok) return enter('failed', `the container engine could not be started: ${started.reason}. ${advice(engine)}`)
    return enter('ready', 'the container engine was started and answers')
  }

  return { ensureEngine, limitLog: async () => await limitEngineLog(logFileIn(logDir)), state: () => current }
}

/** The message that says why nothing is installed or started here, and what to do instead. */
export function whyNot(options: { mode: 'auto' | 'off'; engine: EngineAddress; mayInstall?: boolean }): string | undefined {
  const { mode, engine, mayInstall = canInstallPackages() } = options
  if (mode === 'off') return `no container engine answers and BERTH_PROVISION=off forbids installing one. ${advice(engine)}`
  if (!('socketPath' in engine))
    return `no container engine answers at ${addressText(engine)}, which is not a local socket. ${advice(engine)}`
  if (!mayInstall) return `no container engine answers, and installing one needs root on Debian. ${advice(engine)}`
  return undefined
}

const advice = (engine: EngineAddress): string =>
  `Install and start Docker Engine so that it answers on ${addressText(engine)}, or point DOCKER_HOST at one. Until then Berth runs without it.`

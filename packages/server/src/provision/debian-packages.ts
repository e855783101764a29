import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { outsideOwnUnit, runSystemCommand } from './system-command.ts'

export type InstallOptions = {
  log: Pick<Logger, 'info' | 'warn'>
  signal?: AbortSignal | undefined
  /** Without it the package lists are not refreshed. */
  refreshLists?: boolean
}
export type InstallResult = { ok: true } | { ok: false; missing: string[]; reason: string }

const queryTimeoutMs = 30_000
const repairTimeoutMs = 120_000
const updateTimeoutMs = 180_000
const installTimeoutMs = 900_000

export const canInstallPackages = (): boolean => existsSync('/usr/bin/apt-get') && process.getuid?.() === 0

export async function missingPackages(names: readonly string[], signal?: AbortSignal): Promise<string[]> {
  const states = await Promise.all(
    names.map((name) =>
      runSystemCommand('dpkg-query', ['-W', '-f', '${db:Status-Status}', '--', name], { timeoutMs: queryTimeoutMs, signal }),
    ),
  )
  return names.filter((_, index) => states[index]?.output !== 'installed')
}

/** Makes sure that these Debian packages are installed, and logs when it installs one. */
export async function installDebianPackage(names: readonly string[], options: InstallOptions): Promise<InstallResult> {
  const { log, signal, refreshLists = true } = options
  const wanted = await missingPackages(names, signal)
  if (wanted.length === 0) return { ok: true }
  if (!canInstallPackages()) return { ok: false, missing: wanted, reason: 'installing needs root and apt-get' }
  log.info({ packages: wanted }, 'installing Debian packages')
  // After an interrupted installation dpkg refuses everything until this has run.
  await changeSystem(['dpkg', '--configure', '-a'], { timeoutMs: repairTimeoutMs, signal })
  if (refreshLists) {
    const update = await aptGet(['update'], { timeoutMs: updateTimeoutMs, signal })
    // Not fatal: the existing lists may be good enough.
    if (!update.ok) log.warn({ output: lastLine(update.output) }, 'the package lists could not be refreshed')
  }
  const install = await aptGet(['install', '-y', '--no-install-recommends', '--', ...wanted], { timeoutMs: installTimeoutMs, signal })
  const missing = await missingPackages(wanted, signal)
  if (missing.length > 0) return { ok: false, missing, reason: lastLine(install.output) }
  log.info({ packages: wanted }, 'Debian packages installed')
  return { ok: true }
}

type RunOptions = { timeoutMs: number; signal?: AbortSignal | undefined }

async function changeSystem(words: readonly string[], options: RunOptions) {
  const [program = '', ...args] = outsideOwnUnit(words)
  return await runSystemCommand(program, args, options)
}

async function aptGet(args: readonly string[], options: RunOptions) {
  // `env` adds one variable to what we inherited (proxies, locale) without our reading the environment here.
  const quiet = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=2']
  return await changeSystem([...quiet, ...args], options)
}

const lastLine = (output: string): string => output.trim().split('\n').at(-1) ?? ''

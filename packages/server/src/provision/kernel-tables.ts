import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import type { EngineAddress } from '../engine/api/address.ts'
import { outsideOwnUnit, runSystemCommand } from './system-command.ts'

const SETTINGS = '/proc/sys'
const TIMEOUT_MS = 20_000
/** The least that each should be, in the order in which they are set: an upper limit may never be below a lower one. */
const WANTED: readonly (readonly [name: string, least: number])[] = [
  // More neighbours than the bridge of build steps has addresses. Above the second number the kernel looks for entries to remove.
  ['net.ipv4.neigh.default.gc_thresh3', 131_072],
  ['net.ipv4.neigh.default.gc_thresh2', 65_536],
  // Machines with little memory have a thirtieth of this, which one busy app needs for itself.
  ['net.netfilter.nf_conntrack_max', 262_144],
]

type Deps = { log: Pick<Logger, 'info' | 'warn'>; mode: 'auto' | 'off'; engine: EngineAddress; directory?: string }

/**
 * The kernel has one table of connections, and one of the hardware addresses of neighbours, with all containers in them. Without a free place in
 * the first nobody gets a new connection, and without one in the second the edge cannot connect to apps. An app or a build step that connects
 * to addresses where nobody is takes places for seconds each, so the tables are enlarged. An entry needs memory only while it exists.
 */
export function createKernelTables({ log, mode, engine, directory = SETTINGS }: Deps) {
  let message = ''

  async function ensure(_port: number, signal?: AbortSignal): Promise<void> {
    if (mode === 'off' || !('socketPath' in engine) || process.getuid?.() !== 0) return
    const failures: string[] = []
    for (const [name, least] of WANTED) failures.push(...(await enlarge(directory, { name, least }, signal)))
    if (signal?.aborted) return
    const problem = failures.length === 0 ? '' : `One app can keep all others from connecting: ${failures.join(' ')}`
    if (problem !== '' && problem !== message) log.warn({ reason: problem }, 'tables of the kernel not enlarged')
    message = problem
  }

  return { ensure, message: () => message }
}

type Setting = { readonly name: string; readonly least: number }

/** Returns why it was not possible. */
async function enlarge(directory: string, { name, least }: Setting, signal: AbortSignal | undefined): Promise<string[]> {
  const file = path.join(directory, ...name.split('.'))
  const now = Number(await readFile(file, 'utf8').catch(() => Number.POSITIVE_INFINITY)) // then the kernel has no such limit
  if (now >= least) return []
  try {
    await writeFile(file, String(least), { flag: 'r+' })
    return []
  } catch {
    // an installed Berth may not write there
    const [program = '', ...args] = outsideOwnUnit(['sysctl', '-q', '-w', `${name}=${least}`])
    const { ok, output } = await runSystemCommand(program, args, { timeoutMs: TIMEOUT_MS, signal })
    return ok ? [] : [`Set ${name} to ${least} with sysctl, because Berth cannot (${output.split('\n')[0] ?? ''}).`]
  }
}

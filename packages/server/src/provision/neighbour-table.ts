import { readFile, writeFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { EngineAddress } from '../engine/api/address.ts'
import { outsideOwnUnit, runSystemCommand } from './system-command.ts'

const SETTINGS = '/proc/sys/net/ipv4/neigh/default'
const TIMEOUT_MS = 20_000
/**
 * More than the bridge of build steps has addresses. Above the first number the kernel looks for entries to remove at every new one; at the
 * second there are no new ones.
 */
const WANTED = { gc_thresh2: 65_536, gc_thresh3: 131_072 } as const
type Setting = keyof typeof WANTED

type Deps = { log: Pick<Logger, 'info' | 'warn'>; mode: 'auto' | 'off'; engine: EngineAddress; directory?: string }

/**
 * The kernel has one table for the hardware addresses of neighbours, with all containers in it and 1,024 places by default. An app or a build
 * step that connects to addresses where nobody is takes a place for seconds each, and without a free one the edge cannot connect to apps.
 * There is no limit per container, so the table is made larger.
 */
export function createNeighbourTable({ log, mode, engine, directory = SETTINGS }: Deps) {
  let message = ''

  async function ensure(_port: number, signal?: AbortSignal): Promise<void> {
    if (mode === 'off' || !('socketPath' in engine) || process.getuid?.() !== 0) return
    const reason = await enlarge(directory, signal)
    if (signal?.aborted) return
    const problem =
      reason === undefined
        ? ''
        : `One app can keep the edge from connecting to all others, because the kernel's table of neighbours is small: ${reason}. Set net.ipv4.neigh.default.gc_thresh3 to ${WANTED.gc_thresh3} with sysctl.`
    if (problem !== '' && problem !== message) log.warn({ reason: problem }, 'table of neighbours not enlarged')
    message = problem
  }

  return { ensure, message: () => message }
}

/** Returns why it was not possible. The upper limit first: it may never be below the lower one. */
async function enlarge(directory: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  for (const name of ['gc_thresh3', 'gc_thresh2'] as const) {
    const now = Number(await readFile(`${directory}/${name}`, 'utf8').catch(() => Number.POSITIVE_INFINITY)) // then the kernel has no such limit
    if (now >= WANTED[name]) continue
    const failure = await set(directory, name, signal)
    if (failure !== undefined) return failure
  }
  return undefined
}

async function set(directory: string, name: Setting, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    await writeFile(`${directory}/${name}`, String(WANTED[name]), { flag: 'r+' })
    return undefined
  } catch {
    // an installed Berth may not write there
    const [program = '', ...args] = outsideOwnUnit(['sysctl', '-q', '-w', `net.ipv4.neigh.default.${name}=${WANTED[name]}`])
    const { ok, output } = await runSystemCommand(program, args, { timeoutMs: TIMEOUT_MS, signal })
    return ok ? undefined : (output.split('\n')[0] ?? '')
  }
}

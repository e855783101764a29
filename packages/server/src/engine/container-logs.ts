import { cleanLine } from '../lib/clean-line.ts'
import { createYieldTurn } from '../lib/yield-turn.ts'
import { createLogReader, type LogLine } from './api/log-frames.ts'
import type { Transport } from './api/transport.ts'
import { pathOf } from './container-reads.ts'
import { isServiceId } from './swarm/service-containers.ts'

export type LogOptions = {
  /** How many of the newest lines to start with. Default: all. */
  readonly tail?: number
  /** Only lines after this moment (RFC 3339, as in `at`). */
  readonly since?: string
  readonly follow?: boolean
  readonly signal?: AbortSignal
}

/** For all logs together: many that are followed at once must not hold up everything else. */
const yieldTurn = createYieldTurn(5)

type Container = { readonly id: string; readonly isTty: boolean }

/**
 * A container's output as clean lines, oldest first. With `since` the line at exactly that moment is left out, so the `at` of the last
 * line resumes.
 */
export function createContainerLogs(deps: { transport: Transport }) {
  const batches = createLogBatches(deps)
  return async function* logs(container: Container, options: LogOptions): AsyncGenerator<LogLine> {
    for await (const lines of batches(container, options)) {
      for (const line of lines) {
        await yieldTurn()
        yield line
      }
    }
  }
}

/** The same in batches: for a long log, yielding each line separately costs more than reading it. */
export function createLogBatches(deps: { transport: Transport }) {
  return async function* logBatches(container: Container, options: LogOptions): AsyncGenerator<readonly LogLine[]> {
    const { tail, since, follow = false, signal } = options
    const answer = await deps.transport.stream({
      method: 'GET',
      path: isServiceId(container.id) ? `/services/${container.id}/logs` : `${pathOf(container.id)}/logs`,
      query: {
        stdout: true,
        stderr: true,
        timestamps: true,
        follow,
        tail: tail ?? 'all',
        since: since === undefined ? undefined : unixTime(since),
      },
      signal,
    })
    const reader = createLogReader(container)
    const isNew = (line: LogLine) => since === undefined || line.at !== since
    const clean = (lines: readonly LogLine[]) => lines.filter(isNew).map((entry) => ({ ...entry, line: cleanLine(entry.line) }))
    try {
      for await (const chunk of answer.chunks) {
        await yieldTurn()
        yield clean(reader.push(chunk))
      }
      yield clean(reader.end())
    } finally {
      answer.close()
    }
  }
}

/** Seconds with nine decimals, which a Date would lose. */
export function unixTime(at: string): string {
  const fraction = /\.(\d+)/.exec(at)?.[1] ?? ''
  return `${Math.floor(Date.parse(at) / 1000)}.${fraction.padEnd(9, '0').slice(0, 9)}`
}

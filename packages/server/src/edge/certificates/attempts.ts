import { appendFile } from 'node:fs/promises'
import { createSemaphore } from '../../lib/semaphore.ts'
import { writeDurably } from '../../lib/write-durably.ts'
import { readIfThere } from '../map-files.ts'

export type IssueAttempt = {
  readonly failures: number
  readonly reason: string
  readonly isRateLimited: boolean
  readonly nextTryAt: number
  /** The authority it was ordered from; attempts at another one do not count. */
  readonly directory?: string
}

/** The file may have as many obsolete lines as current ones, plus this many. */
const STALE_LINES = 200
const MAX_REASON = 1_000

/**
 * Failed attempts and when they may be retried, kept on disk so that a restart does not cause a new request to the authority. One line
 * per change, the last one of a host counts; the file is rewritten when most lines are obsolete.
 */
export function createIssueAttempts(deps: { path: string }) {
  const { path } = deps
  const attempts = new Map<string, IssueAttempt>()
  let lines = Number.POSITIVE_INFINITY // unknown, so the whole file is rewritten
  const oneAtATime = createSemaphore(1)

  async function load(): Promise<void> {
    for (const [host, attempt] of parseAttempts((await readIfThere(path)) ?? '')) {
      if (attempt === undefined) attempts.delete(host)
      else attempts.set(host, attempt)
    }
  }

  function save(host: string): Promise<void> {
    const line = lineOf(host, attempts.get(host))
    return oneAtATime.run(async () => {
      const isAppended = lines < 2 * attempts.size + STALE_LINES
      const after = isAppended ? lines + 1 : attempts.size
      lines = Number.POSITIVE_INFINITY // the next write makes up for one that failed
      if (isAppended) await appendFile(path, line, { flush: true })
      else await writeDurably(path, [...attempts].map(([each, attempt]) => lineOf(each, attempt)).join(''))
      lines = after
    })
  }

  return {
    load,
    get: (host: string) => attempts.get(host),
    hosts: () => [...attempts.keys()],
    set(host: string, attempt: IssueAttempt): Promise<void> {
      attempts.set(host, { ...attempt, reason: attempt.reason.slice(0, MAX_REASON) })
      return save(host)
    },
    async clear(host: string): Promise<void> {
      if (attempts.delete(host)) await save(host)
    },
  }
}

export type IssueAttempts = ReturnType<typeof createIssueAttempts>

/** Starts with a line feed, so that a line cut off by a crash does not damage the next one. */
function lineOf(host: string, attempt: IssueAttempt | undefined): string {
  return `\n${JSON.stringify([host, attempt ?? null])}`
}

function parseAttempts(text: string): [string, IssueAttempt | undefined][] {
  return text.split('\n').flatMap((line) => {
    const row = parseLine(line)
    // an earlier version wrote all of them as one array
    const rows: unknown[] = Array.isArray(row[0]) ? row : [row]
    return rows.flatMap((pair): [string, IssueAttempt | undefined][] => {
      const both: unknown[] = Array.isArray(pair) ? pair : []
      const [host, attempt] = both
      if (typeof host !== 'string' || (attempt !== null && !isAttempt(attempt))) return []
      return [[host, attempt ?? undefined]]
    })
  })
}

function parseLine(line: string): unknown[] {
  try {
    const row: unknown = JSON.parse(line)
    return Array.isArray(row) ? row : []
  } catch {
    return [] // damaged: all it costs is another attempt
  }
}

function isAttempt(value: unknown): value is IssueAttempt {
  if (typeof value !== 'object' || value === null) return false
  const fields = new Map(Object.entries(value))
  return (
    typeof fields.get('failures') === 'number' &&
    typeof fields.get('reason') === 'string' &&
    typeof fields.get('isRateLimited') === 'boolean' &&
    typeof fields.get('nextTryAt') === 'number'
  )
}

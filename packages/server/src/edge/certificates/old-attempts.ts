import type { IssueAttempt } from './attempts.ts'

/** What an earlier version wrote into a file: one line per change, of which the last one of a host counts. Undefined: it was cleared. */
export function parseAttempts(text: string): [string, IssueAttempt | undefined][] {
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

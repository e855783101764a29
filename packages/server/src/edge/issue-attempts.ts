import { writeDurably } from '../lib/write-durably.ts'
import { readIfThere } from './map-files.ts'

export type IssueAttempt = {
  readonly failures: number
  readonly reason: string
  readonly isRateLimited: boolean
  readonly nextTryAt: number
  /** Whom it was asked of: another authority knows nothing of it. */
  readonly directory?: string
}

/** What failed and when it may be tried again, kept on disk: a restart is no reason to ask the authority at once. */
export function createIssueAttempts(deps: { path: string }) {
  const { path } = deps
  const attempts = new Map<string, IssueAttempt>()
  let saving: Promise<void> = Promise.resolve()

  async function load(): Promise<void> {
    for (const [host, attempt] of parseAttempts((await readIfThere(path)) ?? '[]')) attempts.set(host, attempt)
  }

  function save(): Promise<void> {
    const write = () => writeDurably(path, JSON.stringify([...attempts]))
    saving = saving.then(write, write)
    return saving
  }

  return {
    load,
    get: (host: string) => attempts.get(host),
    hosts: () => [...attempts.keys()],
    set(host: string, attempt: IssueAttempt): Promise<void> {
      attempts.set(host, attempt)
      return save()
    },
    async clear(host: string): Promise<void> {
      if (attempts.delete(host)) await save()
    },
  }
}

export type IssueAttempts = ReturnType<typeof createIssueAttempts>

function parseAttempts(text: string): [string, IssueAttempt][] {
  const found: [string, IssueAttempt][] = []
  let rows: unknown
  try {
    rows = JSON.parse(text)
  } catch {
    return [] // damaged: trying once more is the whole loss
  }
  for (const row of Array.isArray(rows) ? rows : []) {
    const pair: unknown[] = Array.isArray(row) ? row : []
    const [host, attempt] = pair
    if (typeof host === 'string' && isAttempt(attempt)) found.push([host, attempt])
  }
  return found
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

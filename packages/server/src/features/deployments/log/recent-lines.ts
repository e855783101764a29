import type { LogPlace } from './log-file.ts'
import type { LogLine } from './log-lines.ts'

type Batch = { readonly lines: readonly LogLine[]; readonly first: number; readonly end: LogPlace }

const MOST_LINES = 8192
const MOST_CHARACTERS = 1024 * 1024

function charactersOf(lines: readonly LogLine[]): number {
  return lines.reduce((sum, { line }) => sum + line.length, 0)
}

/**
 * The newest lines of a log that is being written, shared by all followers: a follower that is up to date gets the same batch as the
 * others, and one that is behind reads the file. So there are no queues per follower.
 */
export function createRecentLines() {
  let batches: Batch[] = []
  const listeners = new Set<() => void>()
  let held = { lines: 0, characters: 0 }

  function publish(lines: readonly LogLine[], end: LogPlace): void {
    batches.push({ lines, end, first: end.lines - lines.length + 1 })
    held = { lines: held.lines + lines.length, characters: held.characters + charactersOf(lines) }
    while (batches.length > 1 && (held.lines > MOST_LINES || held.characters > MOST_CHARACTERS)) {
      const old = batches.shift()?.lines ?? []
      held = { lines: held.lines - old.length, characters: held.characters - charactersOf(old) }
    }
    wake()
  }

  function wake(): void {
    for (const listener of listeners) listener()
  }

  /** A writer begins here. What is before is in the file, whoever wrote it, so followers look there. */
  function startAt(end: LogPlace): void {
    forget()
    batches.push({ lines: [], end, first: end.lines + 1 })
    wake()
  }

  function forget(): void {
    batches = []
    held = { lines: 0, characters: 0 }
  }

  /** The batch that contains the next line after this position, if it is still in memory. */
  function batchAfter({ lines }: LogPlace): Batch | undefined {
    const batch = batches.findLast(({ first }) => first <= lines + 1)
    return batch && batch.end.lines > lines ? batch : undefined
  }

  const isUpToDate = ({ lines }: LogPlace): boolean => lines === batches.at(-1)?.end.lines
  return { publish, startAt, forget, batchAfter, isUpToDate, listeners }
}

export type RecentLines = ReturnType<typeof createRecentLines>

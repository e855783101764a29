import type { LogSearch, LogSearchLine } from '@berth/contract'
import { withoutColours } from '../../lib/clean-line.ts'
import type { Batches, PlacedLine } from './log-cursor.ts'
import { presentLine } from './log-page.ts'
import { createNewest } from './log-window.ts'

/** Returns `context` lines before and after each match; if there are more than `limit` matches, the newest ones. */
export type SearchWanted = { search: string; context: number; limit: number }

type Seen = PlacedLine & { n: number; isMatch: boolean }

/** An upper bound for the result, even with the longest context and the most matches. */
const MOST_LINES = 20_000

/** Reads a log once, counts all matches and keeps the newest ones. */
export async function searchLines(batches: Batches, { search, context, limit }: SearchWanted): Promise<LogSearch> {
  const wanted = search.toLowerCase()
  const recent = createNewest<Seen>({ lines: Math.max(1, context) })
  let n = 0
  let matches = 0
  let keptMatches = 0
  const kept = createNewest<Seen>({ lines: MOST_LINES }, ({ isMatch }) => {
    if (isMatch) keptMatches -= 1
  })
  let lastMatch = Number.NEGATIVE_INFINITY
  let lastKept = -1

  function keep(line: Seen): void {
    if (line.n <= lastKept) return
    lastKept = line.n
    kept.add(line)
  }

  function look(line: PlacedLine): void {
    const isMatch = withoutColours(line.line).toLowerCase().includes(wanted)
    const seen = { ...line, n, isMatch }
    if (isMatch) {
      matches += 1
      keptMatches += 1
      lastMatch = n
      if (context > 0) recent.items().forEach(keep)
      keep(seen)
      while (keptMatches > limit) kept.dropFirst()
    } else if (n - lastMatch <= context) keep(seen)
    recent.add(seen)
    n += 1
  }

  for await (const lines of batches) lines.forEach(look)
  return { matches, total: n, lines: kept.items().map(present) }
}

function present({ n, isMatch, ...line }: Seen): LogSearchLine {
  return { ...presentLine(line), n, isMatch }
}

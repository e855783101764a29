import type { LogEntry, LogPage } from '@berth/contract'
import { type Batches, type Cursor, compareCursors, formatCursor, type PlacedLine } from './log-cursor.ts'
import { createNewest, createOldest } from './log-window.ts'

/** Lines before, after or around a position; without one, the newest lines. */
export type PageWanted = { limit: number; before?: Cursor; after?: Cursor; around?: Cursor }

export function presentLine({ at, nth, stream, line, service, replica }: PlacedLine): LogEntry {
  return { id: formatCursor({ at, nth }), at, stream, line, service, replica }
}

function roomOf({ limit, after, around }: PageWanted): { before: number; following: number } {
  if (after) return { before: 0, following: limit }
  if (around) return { before: Math.floor(limit / 2), following: Math.ceil(limit / 2) }
  return { before: limit, following: 0 }
}

/** Reads a log once and keeps one page of it. The whole log is read to count its lines. */
export async function readPage(batches: Batches, wanted: PageWanted): Promise<LogPage> {
  const place = wanted.before ?? wanted.after ?? wanted.around
  const room = roomOf(wanted)
  const before = createNewest<PlacedLine>({ lines: room.before })
  const following = createOldest<PlacedLine>({ lines: room.following })
  let total = 0
  let earlier = 0
  const isEarlier = (line: PlacedLine) => {
    const side = place === undefined ? -1 : compareCursors(line, place)
    return side < 0 || (side === 0 && wanted.after !== undefined)
  }
  function add(line: PlacedLine): void {
    total += 1
    if (!isEarlier(line)) return following.add(line)
    earlier += 1
    if (room.before > 0) before.add(line)
  }
  for await (const lines of batches) lines.forEach(add)
  return { lines: [...before.items(), ...following.items()].map(presentLine), first: earlier - before.size(), total }
}

import type { LogSearch, StreamState } from '@berth/contract'
import { stripAnsi } from './ansi.ts'
import type { LogBuffer, LogLine, LogStream } from './log-buffer.ts'

export type LogSearchWanted = { words: string; context: number; stream: LogStream | 'all'; signal: AbortSignal }
export type LogFound = Pick<LogSearch, 'matches' | 'total'> & { lines: readonly (LogLine & { isMatch: boolean })[] }

/** A log that the viewer shows: what is loaded, and how to get at the rest. */
export type LogSource = {
  /** Which log it is. */
  name: string
  buffer: LogBuffer
  state: StreamState['is']
  /** How many lines there are before and after those that are loaded; undefined while that is not known. */
  older: number | undefined
  newer: number
  isLoading: boolean
  /** Why the last request for more lines failed. */
  problem: string
  loadOlder: () => void
  loadNewer: () => void
  /** Makes sure that a line is loaded. */
  goTo: (id: string) => void
  goToEnd: () => void
  setStream: (stream: LogStream | 'all') => void
  search: (wanted: LogSearchWanted) => Promise<LogFound>
  download: () => Promise<void> | void
}

/** A search in the lines that are loaded. */
export function searchLoaded(lines: readonly LogLine[], { words, context }: Pick<LogSearchWanted, 'words' | 'context'>): LogFound {
  const wanted = words.toLowerCase()
  const places = lines.flatMap(({ text }, at) => (stripAnsi(text).toLowerCase().includes(wanted) ? [at] : []))
  const matches = new Set(places.slice(-MOST_MATCHES))
  const shown = new Set<number>()
  for (const place of matches) for (let at = place - context; at <= place + context; at += 1) shown.add(at)
  const found = [...shown].toSorted((a, b) => a - b).flatMap((at) => (lines[at] ? [{ ...lines[at], isMatch: matches.has(at) }] : []))
  return { matches: places.length, total: lines.length, lines: found }
}

export const MOST_MATCHES = 1000

type Loaded = Pick<LogSource, 'name' | 'buffer' | 'state' | 'download'>

/** A log of which everything is loaded, or comes by itself. */
export function loadedSource({ name, buffer, state, download }: Loaded): LogSource {
  const nothing = (): void => undefined
  return {
    name,
    buffer,
    state,
    older: 0,
    newer: 0,
    isLoading: false,
    problem: '',
    loadOlder: nothing,
    loadNewer: nothing,
    goTo: nothing,
    goToEnd: nothing,
    setStream: buffer.setStream,
    search: async (wanted) => searchLoaded(buffer.view().lines, wanted),
    download,
  }
}

import type { StreamState } from '@berth/contract'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { classNames } from '../lib/class-names.ts'
import type { LogView } from '../lib/log-buffer.ts'
import type { LogSource } from '../lib/log-source.ts'
import { useSearchState } from '../lib/route-state.ts'
import { countWords, plural } from '../lib/sizes.ts'
import type { Look } from '../lib/status.ts'
import { LogLines } from './log-lines.tsx'
import { LogSearchField, type LogSearching, useLogSearch } from './log-search.tsx'
import { type LogOptions, LogToolbar, type StreamChoice } from './log-toolbar.tsx'
import { toast } from './toast.tsx'

type Props = {
  source: LogSource
  streams: readonly StreamChoice[]
  /** Label and colour of each stream state. */
  looks: Record<StreamState['is'], Look>
  empty: string
  className?: string
}

const OPTIONS: LogOptions = { stream: 'all', words: '', wrap: false, paused: false, showTime: false, isLarge: false }

/** Few lines fit on the screen of a phone. */
function firstOptions(): LogOptions {
  return { ...OPTIONS, wrap: matchMedia('(max-width: 639px)').matches }
}

/** A log of any length. Only visible lines are rendered, the end is followed until the reader scrolls up, and older lines are loaded on the way. */
export function LogViewer({ source, streams, looks, empty, className }: Props) {
  const view = useSyncExternalStore(source.buffer.subscribe, source.buffer.view)
  const [options, setOptions] = useState(firstOptions)
  const [linked, setLinked] = useSearchState('line')
  const searching = useLogSearch(source, options.words, options.stream)
  useEffect(() => {
    if (linked !== '') source.goTo(linked)
  }, [linked, source.name])

  function change(next: LogOptions): void {
    if (next.stream !== options.stream) source.setStream(next.stream)
    if (next.paused !== options.paused) source.buffer.setPaused(next.paused)
    setOptions(next)
  }
  return (
    <div
      className={classNames(
        'flex min-h-0 flex-col border-line bg-surface',
        options.isLarge ? 'fixed inset-0 z-40 border-0' : `rounded-lg border ${className ?? ''}`,
      )}
      onKeyDown={({ key }) => key === 'Escape' && options.isLarge && change({ ...options, isLarge: false })}
    >
      <LogToolbar
        options={options}
        streams={streams}
        onChange={change}
        onDownload={() => void download(source)}
        state={looks[source.state]}
        isWhole={source.state === 'ended'}
      >
        <LogSearchField searching={searching} value={options.words} onText={(words) => change({ ...options, words })} />
      </LogToolbar>
      {searching.words === '' ? (
        <Loaded key={`${options.wrap} ${source.name}`} {...{ source, view, options, empty, linked }} onLink={setLinked} />
      ) : (
        <Results
          searching={searching}
          options={options}
          onLink={(id) => {
            setOptions({ ...options, words: '' })
            setLinked(id)
          }}
        />
      )}
      <footer className="flex justify-between gap-3 border-t border-line px-3 py-1.5 text-xs text-ink-soft">
        <span>{searching.words === '' ? countOf(source, view) : searchCount(searching)}</span>
        <span className={source.problem === '' && searching.problem === '' ? '' : 'text-bad'}>
          {source.problem || searching.problem || waitingWords(source, searching)}
        </span>
      </footer>
    </div>
  )
}

async function download(source: LogSource): Promise<void> {
  try {
    await source.download()
  } catch (cause) {
    toast(cause instanceof Error ? cause.message : 'Could not load the log.', 'bad')
  }
}

type LoadedProps = {
  source: LogSource
  view: LogView
  options: LogOptions
  empty: string
  /** The id of the line that a link leads to; empty if there is none. */
  linked: string
  onLink: (id: string) => void
}

/** The lines that are loaded; others are loaded when the reader scrolls to either end. */
function Loaded({ source, view, options, empty, linked, onLink }: LoadedProps) {
  return (
    <LogLines
      {...options}
      lines={view.lines}
      version={view.version}
      search=""
      empty={source.isLoading || source.state === 'connecting' ? 'Loading…' : empty}
      follows
      target={linked === '' ? undefined : view.lines.find(({ id }) => id === linked)?.n}
      {...((source.older ?? 0) > 0 && { onTop: source.loadOlder })}
      {...(source.newer > 0 && { onBottom: source.loadNewer })}
      onLink={onLink}
      onLatest={() => {
        onLink('')
        if (source.newer > 0) source.goToEnd()
      }}
    />
  )
}

type ResultsProps = { searching: LogSearching; options: LogOptions; onLink: (id: string) => void }

/** The matches with the lines around them; the mark of a line leads to its place in the log. */
function Results({ searching: { found, words, keys, current, problem }, options, onLink }: ResultsProps) {
  const lines = found?.lines ?? []
  return (
    <LogLines
      key={String(options.wrap)}
      {...options}
      lines={lines}
      version={lines.length}
      search={words}
      empty={problem !== '' ? 'The search failed.' : found ? 'No matching lines' : 'Searching…'}
      follows={false}
      target={keys[current]}
      hasGapBefore={(at) => at > 0 && (lines[at]?.n ?? 0) > (lines[at - 1]?.n ?? 0) + 1}
      onLink={onLink}
    />
  )
}

function waitingWords({ isLoading, newer }: LogSource, { isSearching }: LogSearching): string {
  if (isSearching) return 'Searching…'
  if (!isLoading) return ''
  return newer > 0 ? 'Loading more lines…' : 'Loading older lines…'
}

/** "2,000 of 10,004 lines" */
function countOf({ older, newer }: LogSource, { lines, total, dropped }: LogView): string {
  const all = (older ?? 0) + dropped + total + newer
  if (older === undefined || lines.length === all) return plural(lines.length, 'line')
  return `${countWords(lines.length)} of ${plural(all, 'line')}`
}

function searchCount({ found, keys }: LogSearching): string {
  if (!found) return ''
  const newest = keys.length < found.matches ? `, newest ${countWords(keys.length)} shown` : ''
  return `${plural(found.matches, 'match', 'matches')} in ${plural(found.total, 'line')}${newest}`
}

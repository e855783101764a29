import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { LogStream } from '../lib/log-buffer.ts'
import type { LogFound, LogSource } from '../lib/log-source.ts'
import { countWords } from '../lib/sizes.ts'
import { useSettled } from '../lib/use-settled.ts'
import { IconButton } from './button.tsx'
import { TextField } from './field.tsx'

const CONTEXT_LINES = 2
const LOOK_AGAIN_MS = 15_000

export type LogSearching = {
  words: string
  found: LogFound | undefined
  isSearching: boolean
  problem: string
  /** Which of the matches is looked at, by its place among them. */
  current: number
  keys: readonly number[]
  go: (step: number) => void
}

/** The search of a log, while something is typed. The newest match comes first. */
export function useLogSearch(source: LogSource, typed: string, stream: LogStream | 'all'): LogSearching {
  const settled = useSettled(typed.trim())
  const words = typed.trim() === '' ? '' : settled
  const query = useQuery({
    queryKey: ['log search', source.name, stream, words],
    queryFn: ({ signal }) => source.search({ words, context: CONTEXT_LINES, stream, signal }),
    enabled: words !== '',
    refetchInterval: source.state === 'open' ? LOOK_AGAIN_MS : false,
    placeholderData: keepPreviousData,
    retry: false,
  })
  const found = words === '' ? undefined : query.data
  const keys = found?.lines.flatMap(({ n, isMatch }) => (isMatch ? [n] : [])) ?? []
  const [place, setPlace] = useState({ words: '', back: 0 })
  const back = place.words === words ? Math.min(place.back, Math.max(0, keys.length - 1)) : 0
  return {
    words,
    found,
    isSearching: words !== '' && query.isFetching && query.isPlaceholderData,
    problem: query.error && words !== '' ? query.error.message : '',
    current: keys.length - 1 - back,
    keys,
    go: (step) => setPlace({ words, back: (back - step + keys.length) % Math.max(1, keys.length) }),
  }
}

type Props = { searching: LogSearching; value: string; onText: (text: string) => void }

/** Enter goes to the match before, Shift and Enter to the one after. */
export function LogSearchField({ searching: { keys, current, found, go }, value, onText }: Props) {
  return (
    <div
      className="flex w-full items-center gap-1 sm:w-auto"
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        go(event.shiftKey ? 1 : -1)
      }}
    >
      <div className="flex-1 sm:w-56">
        <TextField label="Search logs" hideLabel type="search" placeholder="Search logs" value={value} onText={onText} />
      </div>
      {found && (
        <>
          <span className="min-w-16 text-center text-[13px] whitespace-nowrap text-ink-soft tabular-nums">
            {found.matches === 0 ? 'No matches' : `${countWords(found.matches - (keys.length - 1 - current))}/${countWords(found.matches)}`}
          </span>
          <IconButton icon="up" label="Previous match" disabled={keys.length < 2} onClick={() => go(-1)} />
          <IconButton icon="down" label="Next match" disabled={keys.length < 2} onClick={() => go(1)} />
        </>
      )}
    </div>
  )
}

import { memo } from 'react'
import { type AnsiColour, type AnsiSpan, parseAnsi } from '../lib/ansi.ts'
import { classNames } from '../lib/class-names.ts'
import type { LogLine } from '../lib/log-buffer.ts'
import { jsonOf, type LogLevel, levelOf } from '../lib/log-level.ts'

const COLOUR = {
  black: 'text-ansi-black',
  red: 'text-ansi-red',
  green: 'text-ansi-green',
  yellow: 'text-ansi-yellow',
  blue: 'text-ansi-blue',
  magenta: 'text-ansi-magenta',
  cyan: 'text-ansi-cyan',
  white: 'text-ansi-white',
} as const satisfies Record<AnsiColour, string>

const EDGE = { stdout: 'border-transparent', stderr: 'border-warn', berth: 'border-accent text-accent' } as const
const LEVEL = {
  error: 'border-bad text-bad',
  warn: 'border-warn text-warn',
  info: 'border-accent/50',
  debug: 'border-transparent text-ink-faint',
} as const satisfies Record<LogLevel, string>

// Created once: `toLocaleTimeString` would create one for each of thousands of lines.
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })

type Props = {
  line: LogLine
  search: string
  showTime: boolean
  isMarked: boolean
  isOpen: boolean
  onToggle: (n: number) => void
  onLink: ((id: string) => void) | undefined
}

/** One line of a log, always shown as plain text. A line of JSON can be opened; the mark before a line links to it. */
export const LogLineText = memo(function LogLineText({ line, search, showTime, isMarked, isOpen, onToggle, onLink }: Props) {
  const { id, text, stream, at, n } = line
  const spans = parseAnsi(text)
  const plain = spans.map((span) => span.text).join('')
  const level = stream === 'berth' ? ownLevel(plain) : levelOf(plain)
  const fields = jsonOf(plain)
  const time = showTime && at !== '' ? clock.format(new Date(at)) : undefined
  return (
    <div className={classNames('group border-l-2 pr-3 pl-5 -indent-5', level ? LEVEL[level] : EDGE[stream], isMarked && 'bg-accent-soft')}>
      <button
        type="button"
        tabIndex={-1}
        aria-label="Link to this line"
        disabled={id === undefined || !onLink}
        onClick={() => id !== undefined && onLink?.(id)}
        className={classNames('w-5 text-center indent-0 text-ink-faint select-none', !isMarked && 'opacity-0 group-hover:opacity-100')}
      >
        #
      </button>
      {time !== undefined && <span className="mr-3 text-ink-faint select-none">{time}</span>}
      {fields && (
        <button
          type="button"
          aria-label={isOpen ? 'Collapse JSON' : 'Expand JSON'}
          aria-expanded={isOpen}
          onClick={() => onToggle(n)}
          className="mr-1 w-4 indent-0 text-ink-faint select-none hover:text-ink"
        >
          {isOpen ? '▾' : '▸'}
        </button>
      )}
      {spans.map((span, place) => (
        // The spans of a line never move
        <Span key={place} span={span} search={search} />
      ))}
      {text === '' && ' '}
      {fields && isOpen && (
        <pre className="my-1 ml-4 indent-0 rounded bg-sunken px-3 py-1.5 whitespace-pre-wrap text-ink">
          {JSON.stringify(fields, null, 2)}
        </pre>
      )}
    </div>
  )
})

/** Of Berth's own lines only the reason of a failure stands out. */
function ownLevel(text: string): LogLevel | undefined {
  return text.startsWith('Failed: ') ? 'error' : undefined
}

function Span({ span, search }: { span: AnsiSpan; search: string }) {
  const look = classNames(
    span.colour && COLOUR[span.colour],
    span.bold === true && 'font-semibold',
    span.dim === true && 'text-ink-faint',
    span.underline === true && 'underline',
  )
  const parts = search === '' ? [span.text] : splitAround(span.text, search)
  return (
    <span className={look}>
      {parts.map((part, at) =>
        at % 2 === 1 ? (
          // Every second part is a match, by position
          <mark key={at} className="rounded-xs bg-warn-soft text-warn outline outline-warn/50">
            {part}
          </mark>
        ) : (
          part
        ),
      )}
    </span>
  )
}

/** Text between matches at even places, the matches themselves at odd ones. */
function splitAround(text: string, search: string): string[] {
  const parts: string[] = []
  const lower = text.toLowerCase()
  const wanted = search.toLowerCase()
  let from = 0
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length))
    from = at + wanted.length
  }
  return [...parts, text.slice(from)]
}

import { memo } from 'react'
import { type AnsiColour, type AnsiSpan, parseAnsi } from '../lib/ansi.ts'
import { classNames } from '../lib/class-names.ts'
import type { LogLine } from '../lib/log-buffer.ts'

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

const EDGE = { stdout: 'border-transparent', stderr: 'border-warn', berth: 'border-accent' } as const

// Created once: `toLocaleTimeString` would create one for each of thousands of lines.
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })

type Props = { line: LogLine; search: string; showTime: boolean }

/** One line of a log, always shown as plain text. */
export const LogLineText = memo(function LogLineText({ line, search, showTime }: Props) {
  const time = showTime && line.at !== '' ? clock.format(new Date(line.at)) : undefined
  return (
    <div className={classNames('border-l-2 pr-3 pl-2', EDGE[line.stream], line.stream === 'berth' && 'text-accent')}>
      {time !== undefined && <span className="mr-3 text-ink-faint select-none">{time}</span>}
      {parseAnsi(line.text).map((span, at) => (
        // The spans of a line never move
        <Span key={at} span={span} search={search} />
      ))}
      {line.text === '' && ' '}
    </div>
  )
})

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

import { styleText } from 'node:util'
import { printable } from './printable.ts'

type Stream = NodeJS.WritableStream & { isTTY?: boolean }
type Tone = 'good' | 'bad' | 'busy' | 'plain'

const TONES = {
  ok: 'good',
  running: 'good',
  success: 'good',
  active: 'good',
  failed: 'bad',
  error: 'bad',
  degraded: 'bad',
  unreachable: 'bad',
  wrong: 'bad',
  pending: 'busy',
  building: 'busy',
  deploying: 'busy',
} as const satisfies Record<string, Tone>
const COLOURS = { good: 'green', bad: 'red', busy: 'yellow', plain: 'reset' } as const satisfies Record<Tone, string>

function toneOf(word: string): Tone {
  return Object.hasOwn(TONES, word) ? TONES[word as keyof typeof TONES] : 'plain' // just looked up
}

/** Text for people, JSON for programs; colour on a terminal alone. */
export function createOutput(deps: { stdout: Stream; stderr: Stream; isJson: boolean }) {
  const { stdout, stderr, isJson } = deps

  /** `validateStream` leaves the colour out when the stream is no terminal, or NO_COLOR is set. */
  function coloured(word: string): string {
    const tone = toneOf(word.trim())
    return tone === 'plain' ? word : styleText(COLOURS[tone], word, { stream: stdout, validateStream: true })
  }

  function line(text: string): void {
    if (!isJson) stdout.write(`${printable(text)}\n`)
  }

  function table(heads: readonly string[], rows: readonly (readonly string[])[]): void {
    if (isJson) return
    const shown = rows.map((row) => row.map(printable))
    const widths = heads.map((head, column) => Math.max(head.length, ...shown.map((row) => row[column]?.length ?? 0)))
    const write = (row: readonly string[], dress: (cell: string) => string) =>
      stdout.write(`${row.map((cell, column) => dress(column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ')}\n`)
    write(heads, (head) => head)
    for (const row of shown) write(row, coloured)
  }

  /** The answer of the server as it is; without --json nothing is printed. */
  function json(value: unknown): void {
    if (isJson) stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
  }

  function failure(problem: { code: string; message: string; next: string }): void {
    if (isJson) stderr.write(`${JSON.stringify({ error: problem.message, code: problem.code, next: problem.next })}\n`)
    else stderr.write(`berth: ${printable(problem.message)} (${problem.code})\n${problem.next}\n`)
  }

  /** For what is going on; never part of the answer. */
  const note = (text: string): void => void stderr.write(`${printable(text)}\n`)
  const text = (words: string): void => void stdout.write(words)

  return { line, table, json, failure, note, text, isJson }
}

export type Output = ReturnType<typeof createOutput>

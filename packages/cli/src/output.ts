import { printable } from './printable.ts'

type Stream = NodeJS.WritableStream & { isTTY?: boolean; hasColors?: () => boolean }
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
const COLOURS = { good: 32, bad: 31, busy: 33, plain: 39 } as const satisfies Record<Tone, number>

function toneOf(word: string): Tone {
  return Object.hasOwn(TONES, word) ? TONES[word as keyof typeof TONES] : 'plain' // just looked up
}

/** Text for people, JSON for programs; colour only on a terminal. */
export function createOutput(deps: { stdout: Stream; stderr: Stream; isJson: boolean }) {
  const { stdout, stderr, isJson } = deps

  /** Only a terminal has `hasColors`, which also checks NO_COLOR. */
  function coloured(word: string): string {
    const tone = toneOf(word.trim())
    if (tone === 'plain' || stdout.hasColors?.() !== true) return word
    return `\u001b[${COLOURS[tone]}m${word}\u001b[${COLOURS.plain}m`
  }

  function line(text: string): void {
    if (!isJson) stdout.write(`${printable(text)}\n`)
  }

  function table(heads: readonly string[], rows: readonly (readonly string[])[]): void {
    if (isJson) return
    const shown = rows.map((row) => row.map(printable))
    const widths = heads.map((head, column) => Math.max(head.length, ...shown.map((row) => row[column]?.length ?? 0)))
    const write = (row: readonly string[], colour: (cell: string) => string) =>
      stdout.write(`${row.map((cell, column) => colour(column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ')}\n`)
    write(heads, (head) => head)
    for (const row of shown) write(row, coloured)
  }

  /** The server's response unchanged, with --json only. */
  function json(value: unknown): void {
    if (isJson) stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
  }

  function failure(problem: { code: string; message: string; next: string }): void {
    if (isJson) stderr.write(`${JSON.stringify({ error: problem.message, code: problem.code, next: problem.next })}\n`)
    else stderr.write(`berth: ${printable(problem.message)} (${problem.code})\n${problem.next}\n`)
  }

  /** Progress and notes, on standard error. */
  const note = (text: string): void => void stderr.write(`${printable(text)}\n`)
  const text = (words: string): void => void stdout.write(words)

  return { line, table, json, failure, note, text, isJson, isTerminal: stdout.isTTY === true }
}

export type Output = ReturnType<typeof createOutput>

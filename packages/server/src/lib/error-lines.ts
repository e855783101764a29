import { withoutColours } from './clean-line.ts'
import { distinctLines } from './distinct-lines.ts'
import { ERROR_RULES, type ErrorRule, NOISE } from './error-rules.ts'

const MOST_SHOWN = 3
const LONGEST_SHOWN = 400
const LONGEST_KEPT = 1000
/**
 * The longest line and the most lines to examine, from the end: the reason of a failure is near the end, and every rule examines every
 * line.
 */
const LONGEST_READ = 300
const MOST_READ = 300

/** The lines of a program's or build step's output that say why it failed, without colours. Empty if none do. */
export function errorLines(printed: readonly string[]): string[] {
  const lines = printed.slice(-MOST_READ).map((line) => withoutColours(line).slice(0, LONGEST_KEPT).trimEnd())
  const beginnings = lines.map((line) => line.slice(0, LONGEST_READ))
  for (const rule of ERROR_RULES) {
    const found = distinctLines(saidBy(rule, lines, beginnings))
    if (found.length === 0) continue
    const shown = rule.isList ? found.slice(0, MOST_SHOWN) : found.slice(...(rule.which === 'first' ? [0, 1] : [-1]))
    return shown.map((line) => wordsOfJson(line).trim().slice(0, LONGEST_SHOWN))
  }
  return []
}

function saidBy(rule: ErrorRule, lines: readonly string[], beginnings: readonly string[]): string[] {
  const found = lines.flatMap((line, at) => {
    if (!rule.says.test(beginnings[at] ?? '')) return []
    return rule.words === undefined ? [line] : wordsBehind(lines, at, rule.words)
  })
  return found.filter((line) => !NOISE.test(line.slice(0, LONGEST_READ)))
}

/** The message is in a later line. A line that only announces a list of errors is shown with the first of them. */
function wordsBehind(lines: readonly string[], at: number, words: 'next' | 'unindented'): string[] {
  const isIt = (line: string) => line.trim() !== '' && (words === 'next' || /^\S/.test(line))
  const place = lines.findIndex((line, index) => index > at && isIt(line))
  const [line = '', ...rest] = place === -1 ? [] : lines.slice(place, place + 3)
  if (line === '') return []
  return [/validation errors? for /.test(line) ? [line, ...rest.map((each) => each.trim())].join(' ') : line]
}

/** The fields of a structured log that may hold the message. */
function wordsOfJson(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    const entry: unknown = JSON.parse(line)
    return wordsIn(entry, ['err', 'error', 'exception']) ?? wordsIn(entry, ['msg', 'message']) ?? line
  } catch {
    return line
  }
}

function wordsIn(entry: unknown, names: readonly string[]): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined
  const values = Object.entries(entry).filter(([name]) => names.includes(name))
  const [found] = values.flatMap(([, value]) => (typeof value === 'string' ? [value] : [wordsIn(value, ['message', 'msg'])]))
  return found
}

/** A text to append to "The container exited with code 1": the lines that say why, or else the last lines. */
export function outputSummary(printed: readonly string[], most = 1000): string {
  const telling = errorLines(printed)
  if (telling.length > 0) return `: ${telling.join(' | ').slice(0, most)}`
  const last = distinctLines(printed.filter((line) => line.trim() !== '')).slice(-5)
  return last.length === 0 ? '. It printed nothing.' : `. Last output: ${last.join(' | ').slice(0, most)}`
}

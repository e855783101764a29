import { withoutColours } from './clean-line.ts'
import { distinctLines } from './distinct-lines.ts'
import { ERROR_RULES, type ErrorRule, SAYS_NOTHING } from './error-rules.ts'

const MOST_SHOWN = 3
const LONGEST_SHOWN = 400
const LONGEST_KEPT = 1000
/** Of a line, and of lines from the last one: why a program ended is at the end, and every rule looks at each of them. */
const LONGEST_READ = 300
const MOST_READ = 300

/** Of what a program or a build step printed, the lines that say why it failed, without colours. None where nothing does. */
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
  return found.filter((line) => !SAYS_NOTHING.test(line.slice(0, LONGEST_READ)))
}

/** The message is in a later line. One that only announces a list of what is wrong is shown with the beginning of that list. */
function wordsBehind(lines: readonly string[], at: number, words: 'next' | 'unindented'): string[] {
  const isIt = (line: string) => line.trim() !== '' && (words === 'next' || /^\S/.test(line))
  const place = lines.findIndex((line, index) => index > at && isIt(line))
  const [line = '', ...rest] = place === -1 ? [] : lines.slice(place, place + 3)
  if (line === '') return []
  return [/validation errors? for /.test(line) ? [line, ...rest.map((each) => each.trim())].join(' ') : line]
}

/** A structured log says it in one of these fields. */
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

/** A sentence to put behind "The container exited with code 1": what says why, or else what was printed last. */
export function whatItSaid(printed: readonly string[], most = 1000): string {
  const telling = errorLines(printed)
  if (telling.length > 0) return `: ${telling.join(' | ').slice(0, most)}`
  const last = distinctLines(printed.filter((line) => line.trim() !== '')).slice(-5)
  return last.length === 0 ? '. It printed nothing.' : `. It last printed: ${last.join(' | ').slice(0, most)}`
}

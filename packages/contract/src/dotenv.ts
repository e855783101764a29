import { ENV_KEY } from './applications.ts'

export type Variable = { key: string; value: string }
export type ParseProblem = { line: number; message: string }
export type EnvChange = { key: string; is: 'added' | 'removed' | 'changed' | 'same'; before?: string; after?: string }

const KEY = new RegExp(ENV_KEY)
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' }

/** Reads `.env` text: comments, `export`, single quotes (as is), double quotes (with escapes), values over several lines. */
export function parseDotenv(text: string): { variables: Variable[]; problems: ParseProblem[] } {
  const variables = new Map<string, string>()
  const problems: ParseProblem[] = []
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trim()
    if (line === '' || line.startsWith('#')) continue
    const number = at + 1
    const equals = line.indexOf('=')
    const key = (equals < 0 ? line : line.slice(0, equals)).replace(/^export\s+/, '').trim()
    if (equals < 0) problems.push({ line: number, message: 'This line has no "=".' })
    else if (!KEY.test(key)) problems.push({ line: number, message: `"${key}" is not a valid variable name.` })
    if (equals < 0) continue
    const read = readValue(lines, at, line.slice(equals + 1).trimStart())
    if (read.problem !== undefined) problems.push({ line: number, message: read.problem })
    at = read.lastLine
    if (!KEY.test(key)) continue
    if (variables.has(key)) problems.push({ line: number, message: `${key} appears twice; the last value is used.` })
    variables.set(key, read.value)
  }
  return { variables: [...variables].map(([key, value]) => ({ key, value })), problems }
}

function readValue(lines: string[], at: number, start: string): { value: string; lastLine: number; problem?: string } {
  const quote = start[0]
  if (quote !== '"' && quote !== "'") return { value: start.replace(/(^|\s)#[^]*/, '').trim(), lastLine: at }
  let body = start.slice(1)
  let lastLine = at
  let end = closingQuote(body, quote)
  while (end < 0 && lastLine + 1 < lines.length) {
    lastLine += 1
    body += `\n${lines[lastLine] ?? ''}`
    end = closingQuote(body, quote)
  }
  if (end < 0) return { value: start, lastLine: at, problem: `A ${quote} is opened here but never closed.` }
  const inside = body.slice(0, end)
  return { value: quote === "'" ? inside : inside.replace(/\\([nrt"\\$])/g, (_, mark: string) => ESCAPES[mark] ?? mark), lastLine }
}

function closingQuote(text: string, quote: string): number {
  for (let at = 0; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1
    else if (text[at] === quote) return at
  }
  return -1
}

/** Writes what `parseDotenv` reads back unchanged. */
export function formatDotenv(variables: readonly Variable[]): string {
  return variables.map(({ key, value }) => `${key}=${quoted(value)}\n`).join('')
}

function quoted(value: string): string {
  if (/^[A-Za-z0-9_./:@%+,=?&~^*!-]*$/.test(value)) return value
  const escaped = value.replace(/["\\$]/g, (mark) => `\\${mark}`)
  return `"${escaped.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`
}

/** The changes from `before` to `after`, by name. */
export function diffVariables(before: readonly Variable[], after: readonly Variable[]): EnvChange[] {
  const old = new Map(before.map(({ key, value }) => [key, value]))
  const wanted = new Map(after.map(({ key, value }) => [key, value]))
  const keys = [...new Set([...old.keys(), ...wanted.keys()])].sort()
  return keys.map((key) => {
    const was = old.get(key)
    const will = wanted.get(key)
    if (was === undefined) return { key, is: 'added', ...(will === undefined ? {} : { after: will }) }
    if (will === undefined) return { key, is: 'removed', before: was }
    return { key, is: was === will ? 'same' : 'changed', before: was, after: will }
  })
}

import { escapePattern, LONGEST_RULE } from './redirects.ts'

/** A header and its values by path pattern, in the order of the file. */
export type HeaderRule = { readonly name: string; readonly values: readonly { readonly pattern: string; readonly value: string }[] }

const NAME = /^[A-Za-z][A-Za-z0-9-]{0,60}$/
const MOST_RULES = 500
/** nginx sets these itself, and must not send them twice. */
const OWN = ['content-length', 'content-encoding', 'connection', 'date', 'server', 'transfer-encoding', 'content-type', 'location']

/** A `_headers` file: a path on its own line, its headers indented below. */
export function readHeaders(text: string): { rules: HeaderRule[]; notes: string[] } {
  const found = new Map<string, { pattern: string; value: string }[]>()
  const skipped: number[] = []
  let pattern: string | undefined
  let count = 0
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    if (!/^[ \t]/.test(line)) {
      pattern = patternOf(trimmed)
      if (pattern === undefined) skipped.push(index + 1)
      continue
    }
    const colon = trimmed.indexOf(':')
    const name = trimmed.slice(0, Math.max(colon, 0)).trim()
    const value = trimmed.slice(colon + 1).trim()
    const isUsable =
      line.length <= LONGEST_RULE &&
      NAME.test(name) &&
      !OWN.includes(name.toLowerCase()) &&
      value !== '' &&
      !/[$\\]/.test(value) &&
      count < MOST_RULES
    if (pattern === undefined || !isUsable) {
      skipped.push(index + 1)
      continue
    }
    count += 1
    found.set(name, [...(found.get(name) ?? []), { pattern, value: value.replaceAll('"', String.raw`\"`) }])
  }
  const notes = skipped.length === 0 ? [] : [`_headers: line ${skipped.slice(0, 5).join(', ')} cannot be used.`]
  return { rules: [...found].map(([name, values]) => ({ name, values })), notes }
}

function patternOf(path: string): string | undefined {
  if (!path.startsWith('/') || path.length > LONGEST_RULE) return undefined
  const parts = path
    .split('/')
    .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.split('*').map(escapePattern).join('.*')))
  return `^${parts.join('/')}$`
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

const WORDS: readonly (readonly [LogLevel, string])[] = [
  ['error', 'error|err|fatal|panic|crit|critical|alert|emerg|severe|exception'],
  ['warn', 'warn|warning'],
  ['info', 'info|notice'],
  ['debug', 'debug|trace|verbose|silly'],
]
/** In a plain line the word stands near the beginning: in capitals, in brackets, first, before a colon, or as `level=`. */
const PLAIN = WORDS.map(([level, words]) => {
  const capitals = new RegExp(`\\b(?:${words.toUpperCase()})\\b`)
  const marked = new RegExp(
    `[[(<](?:${words})[\\])>]|^(?:${words})\\b|\\b(?:level|lvl|severity)=["']?(?:${words})\\b|\\b(?:${words}):`,
    'i',
  )
  return [level, (text: string) => capitals.test(text) || marked.test(text)] as const
})
const NAMED = WORDS.map(([level, words]) => [level, new RegExp(`^(?:${words})$`, 'i')] as const)
const LOOKED_AT = 160

/** "worker replica 2 | ", where the log of several containers says which one printed the line. */
const PRINTER = /^[\w.-]{1,100}(?: replica)?(?: \d{1,3})? \| /

/** The level that a line of a log names, in plain text or in JSON. */
export function levelOf(text: string): LogLevel | undefined {
  const fields = jsonOf(text)
  if (fields) return levelNamed(fields['level'] ?? fields['severity'] ?? fields['lvl'] ?? fields['levelname'] ?? fields['log.level'])
  const beginning = text.slice(0, LOOKED_AT).replace(PRINTER, '')
  return PLAIN.find(([, isNamed]) => isNamed(beginning))?.[0]
}

/** Numbers are those of pino and bunyan. */
function levelNamed(level: unknown): LogLevel | undefined {
  if (typeof level === 'number') return level >= 50 ? 'error' : level >= 40 ? 'warn' : level >= 30 ? 'info' : 'debug'
  return typeof level === 'string' ? NAMED.find(([, pattern]) => pattern.test(level))?.[0] : undefined
}

/** The fields of a line that is one JSON object. */
export function jsonOf(text: string): Record<string, unknown> | undefined {
  const trimmed = text.replace(PRINTER, '').trim()
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return undefined
  try {
    const value: unknown = JSON.parse(trimmed)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined // an object in braces has text for keys
  } catch {
    return undefined
  }
}

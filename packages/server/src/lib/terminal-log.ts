import { cleanLine, withoutColours } from './clean-line.ts'

type Entry = { level: number; time: string; msg: string; [field: string]: unknown }
type Options = { useColours: boolean; now: () => number }

const LEVELS = new Map([
  [10, { name: 'trace', colour: 90 }],
  [20, { name: 'debug', colour: 90 }],
  [30, { name: 'info', colour: 32 }],
  [40, { name: 'warn', colour: 33 }],
  [50, { name: 'error', colour: 31 }],
  [60, { name: 'fatal', colour: 31 }],
])
const WARN = 40
const ERROR = 50
const DIM = 90
/** A warning repeated every second says nothing new, and pushes everything else off the screen. */
const REPEAT_AFTER_MS = 10 * 60_000
const MOST_REMEMBERED = 200
const NOT_SHOWN = new Set(['level', 'time', 'msg', 'err', 'requestId'])

/** Turns log entries into lines for a person at a terminal. Programs read the JSON instead. */
export function createTerminalLines({ useColours, now }: Options) {
  const paint = (colour: number, text: string) => (useColours && text !== '' ? `\u001b[${colour}m${text}\u001b[0m` : text)
  const shownAt = new Map<string, number>()

  function isRepeated({ level }: Entry, sentence: string): boolean {
    if (level < WARN) return false
    const before = shownAt.get(sentence)
    if (before !== undefined && now() - before < REPEAT_AFTER_MS) return true
    if (shownAt.size >= MOST_REMEMBERED) shownAt.clear()
    shownAt.set(sentence, now())
    return false
  }

  /** The text to print, including line feeds, or an empty text. */
  return (json: string): string => {
    const entry = JSON.parse(json) as Entry // written by the logger a moment ago
    if (isQuietRequest(entry)) return ''
    const sentence = sentenceOf(entry)
    if (isRepeated(entry, sentence)) return ''
    const { name, colour } = LEVELS.get(entry.level) ?? { name: 'log', colour: DIM }
    const fields = paint(DIM, entry.msg === 'request' ? '' : fieldsOf(entry))
    const line = [paint(DIM, timeOf(entry)), paint(colour, name.padEnd(5)), sentence, fields].filter((part) => part !== '').join(' ')
    return `${line}\n${entry.level >= ERROR ? paint(DIM, stackOf(entry)) : ''}`
  }
}

/** The dashboard polls every few seconds. On a terminal only changes and failures are of interest. */
function isQuietRequest({ level, msg, method, status }: Entry): boolean {
  return level < WARN && msg === 'request' && method === 'GET' && Number(status) < 400
}

function timeOf({ time }: Entry): string {
  return new Date(time).toTimeString().slice(0, 8)
}

function sentenceOf(entry: Entry): string {
  if (entry.msg === 'request')
    return shown(`${shown(entry['method'])} ${shown(entry['path'])} ${shown(entry['status'])}, ${shown(entry['ms'])} ms`)
  const reason = errorOf(entry)?.message
  const text = shown(reason === undefined ? entry.msg : `${entry.msg}: ${reason}`)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function fieldsOf(entry: Entry): string {
  const fields = Object.entries(entry).filter(([name]) => !NOT_SHOWN.has(name))
  return fields.map(([name, value]) => `${name}=${shown(value)}`).join(' ')
}

function errorOf({ err }: Entry): { message?: string; stack?: string } | undefined {
  return typeof err === 'object' && err !== null ? err : undefined
}

function stackOf(entry: Entry): string {
  const calls = (errorOf(entry)?.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return calls.map((call) => `${shown(call)}\n`).join('')
}

/** Texts can come from a visitor or a build, so they must not move the cursor or change colours. */
function shown(value: unknown): string {
  return withoutColours(cleanLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')))
}

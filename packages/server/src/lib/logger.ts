import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import { createTerminalLines } from './terminal-log.ts'

export type Logger = Pick<PinoLogger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(bindings: Record<string, unknown>): Logger
}

const SECRETS = new Set(['password', 'currentPassword', 'newPassword', 'token', 'value', 'privateKey', 'authorization', 'cookie', 'secret'])
const CENSORED = '***'

type Fields = Record<string, unknown>

function censor(fields: Fields, look: (name: string, value: unknown) => unknown): Fields {
  let shown = fields
  for (const name in fields) {
    const value = look(name, fields[name])
    if (value === fields[name]) continue
    if (shown === fields) shown = { ...fields }
    shown[name] = value
  }
  return shown
}

const lookOnce = (name: string, value: unknown): unknown => (SECRETS.has(name) ? CENSORED : value)

function lookInside(name: string, value: unknown): unknown {
  if (SECRETS.has(name)) return CENSORED
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Fields // any object has enumerable keys
  const shown = censor(fields, lookOnce)
  // A copy of an error would lose its message and its stack, so the serialised one is censored.
  return shown !== fields && value instanceof Error ? censor({ ...pino.stdSerializers.err(value) }, lookOnce) : shown
}

/**
 * Removes secrets, at the top level and one level below, which is as deep as our log lines go. Pino's own redaction does the same, but
 * costs more per line than everything else together.
 */
export function withoutSecrets(fields: Fields): Fields {
  return censor(fields, lookInside)
}

/** The time as ISO text, reused within a millisecond, which under load is many lines. */
function createTimestamp(): () => string {
  let at = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now === at) return text
    at = now
    text = `,"time":"${new Date(now).toISOString()}"`
    return text
  }
}

/** The most that is buffered while standard output is blocked. Further lines are lost. */
const MOST_WAITING_BYTES = 1024 * 1024

export type LogFormat = 'json' | 'text'

/** Writes are buffered briefly, so that a log line costs a request next to nothing. `flush` empties the buffer at the end. */
export function createLogger({ level, format, useColours }: { level: string; format: LogFormat; useColours: boolean }) {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 16_000, maxLength: MOST_WAITING_BYTES })
  // Standard output may be a file on a disk that is full. The next flush tries again; without a listener the process would end.
  destination.on('error', () => undefined)
  const lines = createTerminalLines({ useColours, now: Date.now })
  const terminal: DestinationStream = { write: (line) => void destination.write(lines(line)) }
  const log: Logger = pino(
    {
      level,
      base: null,
      formatters: { log: withoutSecrets, bindings: withoutSecrets },
      timestamp: createTimestamp(),
    },
    format === 'json' ? destination : terminal,
  )
  const timer = setInterval(() => destination.flush(), 200)
  timer.unref()
  return {
    log,
    flush: () => {
      clearInterval(timer)
      try {
        destination.flushSync()
      } catch {
        // Standard output is closed, so there is nowhere to report it.
      }
    },
  }
}

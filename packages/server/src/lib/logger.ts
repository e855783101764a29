import { type Logger as PinoLogger, pino } from 'pino'

export type Logger = Pick<PinoLogger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(bindings: Record<string, unknown>): Logger
}

const SECRETS = ['password', 'currentPassword', 'newPassword', 'token', 'value', 'privateKey', 'authorization', 'cookie', 'secret']

/** Writes are buffered for a moment: a log line costs a request next to nothing. `flush` empties the buffer at the end. */
export function createLogger(level: string): { log: Logger; flush: () => void } {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 4096 })
  const log = pino(
    {
      level,
      base: null,
      redact: { paths: [...SECRETS, ...SECRETS.map((name) => `*.${name}`)], censor: '***' },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
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
        // Standard output is closed: there is nobody left to tell.
      }
    },
  }
}

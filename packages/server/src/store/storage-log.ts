import type { Logger } from '../lib/logger.ts'
import { DatabaseLost } from './database-lost.ts'
import { isStorageFailure } from './storage-failure.ts'

const LINE_EVERY_MS = 60_000
/** Failures further apart than this are unrelated. */
const FORGOTTEN_AFTER_MS = 5 * 60_000

type Counts = Record<string, number>

/** About our own files or the engine's, which may be on the same disk. Also finds the cause inside another error. */
function isAboutStorage(err: unknown): boolean {
  if (!(err instanceof Error)) return false
  return isStorageFailure(err) || /no space left on device/i.test(err.message) || isAboutStorage(err.cause)
}

function isLost(err: unknown): boolean {
  return err instanceof DatabaseLost || (err instanceof Error && isLost(err.cause))
}

const DISK = { lasts: 'Disk still refuses writes', isOver: 'Disk can be written again' }
const DATABASE = { lasts: 'Database still does not respond', isOver: 'Database responds again' }

/**
 * A full disk, or a database server that is away, makes every write fail, over and over. The log gets one line when that begins, at most one a minute with counts while it
 * lasts, and one when it is over. All other lines are passed on unchanged.
 */
export function createStorageLog(log: Logger, nowMs: () => number = () => performance.now()) {
  let lastLineAt = Number.NEGATIVE_INFINITY
  let lastFailureAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let unsaid: Counts = {}
  let isAnnounced = false
  let words = DISK

  /** Whether this failure is logged unchanged. */
  function isFirst(err: unknown, message: string): boolean {
    const now = nowMs()
    words = isLost(err) ? DATABASE : DISK
    if (now - lastFailureAt > FORGOTTEN_AFTER_MS) [failures, unsaid] = [0, {}]
    lastFailureAt = now
    failures += 1
    if (now - lastLineAt < LINE_EVERY_MS) {
      unsaid[message] = (unsaid[message] ?? 0) + 1
      return false
    }
    lastLineAt = now
    isAnnounced = true
    if (failures === 1) return true
    unsaid[message] = (unsaid[message] ?? 0) + 1
    log.error({ failures, sinceLastLine: unsaid }, words.lasts)
    unsaid = {}
    return false
  }

  /** Logged only if the failure was: a disk that keeps filling up must not cause two lines each time. */
  function over(): void {
    if (!isAnnounced) return
    isAnnounced = false
    log.info({ failures, sinceLastLine: unsaid }, words.isOver)
    failures = 0
    unsaid = {}
  }

  function paced(method: 'warn' | 'error', target: Logger): Logger['warn'] {
    return (...line: unknown[]): void => {
      const [fields, message] = line
      const err: unknown = typeof fields === 'object' && fields !== null && 'err' in fields ? fields.err : undefined
      if (isAboutStorage(err) && !isFirst(err, String(message))) return
      Reflect.apply(target[method], target, line)
    }
  }

  function wrap(target: Logger): Logger {
    const { trace, debug, info, fatal } = target
    const same = { trace: trace.bind(target), debug: debug.bind(target), info: info.bind(target), fatal: fatal.bind(target) }
    return { ...same, warn: paced('warn', target), error: paced('error', target), child: (bindings) => wrap(target.child(bindings)) }
  }

  return { log: wrap(log), over }
}

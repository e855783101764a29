import { ApiError } from '@berth/contract'
import { CannotDo, type ExitCode, WrongUsage } from './command.ts'

type Problem = { code: string; message: string; next: string; exit: ExitCode }

/** The next thing to try, where the server's message does not say it. */
const NEXT: Readonly<Record<string, string>> = {
  not_signed_in: 'Try: berth login',
  wrong_credentials: 'Try: berth login, with the right email and password.',
  too_many_logins: 'Try again in a moment.',
  unreachable: 'Try: berth health, or berth login <address> if the address has changed.',
  engine_unreachable: 'Try: berth health, which says what to do about the engine.',
  not_allowed: 'Try: berth whoami, or ask an admin.',
  no_release: 'Try: berth deployments <app> to see the earlier releases.',
  stopping: 'Try again in a moment.',
}
const NOT_SIGNED_IN = new Set(['not_signed_in', 'wrong_credentials'])

/** Turns an error into a message, a code and an exit code. A bug keeps its stack. */
export function problemOf(cause: unknown): Problem {
  if (cause instanceof ApiError) {
    const exit = NOT_SIGNED_IN.has(cause.code) ? 3 : 1
    return { code: cause.code, message: cause.message, next: NEXT[cause.code] ?? 'Try: berth help', exit }
  }
  if (cause instanceof CannotDo) return { code: cause.code, message: cause.message, next: cause.next, exit: exitFor(cause) }
  if (cause instanceof WrongUsage) return { code: 'usage', message: cause.message, next: 'Try: berth help', exit: 2 }
  const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  return { code: 'internal', message, next: 'This is a bug in the CLI. Please report it.', exit: 1 }
}

function exitFor({ code }: CannotDo): ExitCode {
  return NOT_SIGNED_IN.has(code) ? 3 : 1
}

import { ERRORS, type ErrorCode } from '@berth/contract'

export type FieldProblem = { field: string; message: string }

/** A refusal that a caller can act on. `http/error-handler.ts` alone turns it into a response. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly details: readonly FieldProblem[] | undefined
  constructor(code: ErrorCode, options: { message?: string; details?: readonly FieldProblem[]; cause?: unknown } = {}) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause })
    this.code = code
    this.details = options.details
  }
}

/** A refusal that is about one field: the sentence names it. */
export function fieldError(code: ErrorCode, field: string, message: string): AppError {
  return new AppError(code, { message: `${field}: ${message}`, details: [{ field, message }] })
}

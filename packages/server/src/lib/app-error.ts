import { ERRORS, type ErrorCode } from '@berth/contract'

export type FieldProblem = { field: string; message: string }

/** An error that the caller can act on. Only `http/error-handler.ts` turns it into a response. */
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

/** An error about one field, which the message names. */
export function fieldError(code: ErrorCode, field: string, message: string): AppError {
  return new AppError(code, { message: `${field}: ${message}`, details: [{ field, message }] })
}

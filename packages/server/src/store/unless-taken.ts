import type { ErrorCode } from '@berth/contract'
import { AppError, type FieldProblem } from '../lib/app-error.ts'
import { isUniqueViolation } from './storage-failure.ts'

/** Lets the unique index of a column decide, and says which field is taken. */
export function createUnlessTaken(column: string, code: ErrorCode, problem?: FieldProblem) {
  return async function unlessTaken<Result>(write: Promise<Result>): Promise<Result> {
    try {
      return await write
    } catch (cause) {
      if (isUniqueViolation(cause, column)) throw new AppError(code, { ...(problem && { details: [problem] }), cause })
      throw cause
    }
  }
}

import { ERRORS, type ErrorCode } from '@berth/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type FieldProblem } from '../lib/app-error.ts'
import { errorCode } from '../lib/error-code.ts'
import type { Logger } from '../lib/logger.ts'
import { DatabaseLost } from '../store/database-lost.ts'
import { isStorageFailure } from '../store/storage-failure.ts'

/** Our codes for Fastify's own errors. */
const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'not_json',
  FST_ERR_BAD_URL: 'invalid_path',
}

export type Failure = { status: number; body: { success: false; error: string; code: ErrorCode; details?: readonly FieldProblem[] } }

const LOST = 'The database does not respond. Try again in a moment.'

function codeOf(error: unknown): ErrorCode {
  if (isStorageFailure(error)) return 'storage_unavailable'
  const code = errorCode(error)
  if (!(error instanceof Error) || code === undefined) return 'internal'
  const known = FASTIFY_CODES[code]
  if (known) return known
  return 'statusCode' in error && typeof error.statusCode === 'number' && error.statusCode < 500 ? 'invalid_request' : 'internal'
}

/** The one place where an error becomes a status and a body. For internal errors it adds the request id, to find it in the log. */
export function failureOf(error: unknown, requestId?: string): Failure {
  const refusal =
    error instanceof AppError
      ? error
      : new AppError(codeOf(error), { cause: error, ...(error instanceof DatabaseLost && { message: LOST }) })
  const { status } = ERRORS[refusal.code]
  const details = refusal.details && { details: refusal.details }
  const where = refusal.code === 'internal' && requestId !== undefined ? ` The id of this request is ${requestId}.` : ''
  return { status, body: { success: false, error: refusal.message + where, code: refusal.code, ...details } }
}

export function createErrorHandler(log: Pick<Logger, 'error'>) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const failure = failureOf(error, request.id)
    if (failure.status >= 500) log.error({ requestId: request.id, err: error }, 'Request failed')
    return reply.code(failure.status).type('application/json; charset=utf-8').send(JSON.stringify(failure.body))
  }
}

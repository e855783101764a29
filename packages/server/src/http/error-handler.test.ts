import { ERRORS } from '@berth/contract'
import { expect, it } from 'vitest'
import { AppError, fieldError } from '../lib/app-error.ts'
import { failureOf } from './error-handler.ts'

function withCode(code: string, fields: Record<string, unknown> = {}): Error {
  return Object.assign(new Error('select secret from user at /srv/berth'), { code, ...fields })
}

it('a mistake of ours is internal, and shows nothing of itself', () => {
  for (const error of [new Error('select secret from user'), withCode('SQLITE_ERROR'), 'a text', undefined, null, { status: 200 }]) {
    const failure = failureOf(error)
    expect(failure).toEqual({ status: 500, body: { success: false, code: 'internal', error: ERRORS.internal.message } })
  }
})

it('a mistake of ours names the request under which the log has the details', () => {
  const message = `${ERRORS.internal.message} The id of this request is req-7.`
  expect(failureOf(new Error('select'), 'req-7').body.error).toBe(message)
  expect(failureOf(new AppError('stopping'), 'req-7').body.error).toBe(ERRORS.stopping.message)
})

it.each(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_READONLY_DBMOVED', 'ENOSPC', 'EROFS'])('%s is storage_unavailable', (code) => {
  expect(failureOf(withCode(code))).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } })
})

it("the HTTP library's refusals have our names", () => {
  expect(failureOf(withCode('FST_ERR_CTP_INVALID_MEDIA_TYPE', { statusCode: 415 })).body.code).toBe('not_json')
  expect(failureOf(withCode('FST_ERR_NEW', { statusCode: 431 })).body.code).toBe('invalid_request')
  expect(failureOf(withCode('FST_ERR_NEW', { statusCode: 500 })).body.code).toBe('internal')
})

it('a refusal keeps its sentence and names the field', () => {
  expect(failureOf(fieldError('invalid_domain', 'domain', 'must be a name'))).toEqual({
    status: 400,
    body: {
      success: false,
      code: 'invalid_domain',
      error: 'domain: must be a name',
      details: [{ field: 'domain', message: 'must be a name' }],
    },
  })
  expect(failureOf(new AppError('stopping'))).toMatchObject({ status: 503, body: { error: ERRORS.stopping.message } })
})

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { errorCode } from './error-code.ts'

function thrownBy(work: () => void): unknown {
  try {
    work()
  } catch (cause) {
    return cause
  }
  return undefined
}

it('returns the code of an error that has one, and undefined for anything else', () => {
  expect(errorCode(thrownBy(() => readFileSync('/no/such/file')))).toBe('ENOENT')
  expect(errorCode(new Error('no code'))).toBeUndefined()
  expect(errorCode(Object.assign(new Error('odd'), { code: 7 }))).toBeUndefined()
  expect(errorCode({ code: 'ENOENT' })).toBeUndefined()
  expect(errorCode(undefined)).toBeUndefined()
})

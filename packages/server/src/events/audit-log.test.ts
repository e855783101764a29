import { expect, it } from 'vitest'
import { changedFields } from './audit-log.ts'

it('keeps the fields that really changed, before and after', () => {
  const before = { name: 'a', port: 80, tags: '' }
  expect(changedFields(before, { name: 'b', port: 80 })).toEqual({ before: { name: 'a' }, after: { name: 'b' } })
  expect(changedFields(before, {})).toEqual({ before: {}, after: {} })
})

import { expect, test } from 'vitest'
import { actionWords } from './action-words.ts'

test('an action is said in words, and one that is not known stays as it is', () => {
  expect(actionWords('deployment.rollback')).toBe('Rollback started')
  expect(actionWords('app.archive')).toBe('app.archive')
})

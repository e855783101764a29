import { ApiError } from '@berth/contract'
import { expect, it } from 'vitest'
import { errorWords, problemSentence } from './problem-words.ts'

it.each([
  ['must be an address', 'Must be an address.'],
  ['gitCloneUrl must be an address.', 'Must be an address.'],
  ['gitCloneUrl: must be an address', 'Must be an address.'],
  ['git.example.com does not answer.', 'git.example.com does not answer.'],
])('makes a sentence without the name of the field: %s', (message, words) => {
  expect(problemSentence('gitCloneUrl', message)).toBe(words)
})

it('uses the detail of an error about one field, and the message of any other', () => {
  const failure = { error: 'gitCloneUrl: must be an address', details: [{ field: 'gitCloneUrl', message: 'must be an address' }] }
  expect(errorWords(new ApiError(400, failure))).toBe('Must be an address.')
  const two = { error: 'Two fields are wrong.', details: [...failure.details, { field: 'gitBranch', message: 'must be given' }] }
  expect(errorWords(new ApiError(400, two))).toBe('Two fields are wrong.')
  expect(errorWords(new Error('The server did not answer.'))).toBe('The server did not answer.')
})

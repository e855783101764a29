import { expect, it } from 'vitest'
import { imageVersion } from './version-range.ts'

const KNOWN = { preferred: 24, majors: [26, 25, 24, 22, 20, 18] }

it.each([
  ['*', '24'],
  ['>=18', '24'],
  ['>= 18.17 < 23', '22'],
  ['^20.11.0', '20'],
  ['~20.11.0', '20.11'],
  ['20', '20'],
  ['20.x', '20'],
  ['v20.11.1', '20.11.1'],
  ['18 || 20', '20'],
  ['18 - 22', '22'],
  ['>24', '26'],
  ['<=22.5', '22'],
  ['<20', '18'],
])('the image for %s is that of %s', (range, version) => {
  expect(imageVersion(range, KNOWN)).toBe(version)
})

it.each(['banana', '>=99', '<4', '^', '1 2 3 banana'])('there is none for %s', (range) => {
  expect(imageVersion(range, KNOWN)).toBeUndefined()
})

import { expect, it } from 'vitest'
import { branchesIn, createRefReader } from './refs.ts'

const HASH = 'ab'.repeat(20)
const PRINTED = Buffer.from(
  [
    'ref: refs/heads/main\tHEAD',
    `${HASH}\tHEAD`,
    `${HASH}\trefs/heads/main`,
    `${HASH}\trefs/heads/größe/ß`,
    `${HASH}\trefs/heads/${'x'.repeat(300)}`,
    `${HASH}\trefs/tags/v1`,
    'nonsense',
    '',
  ].join('\n'),
)

it.each([1, 7, 1000])('branches are read in chunks of %d bytes, without those that cannot be used', (size) => {
  const reader = createRefReader()
  for (let at = 0; at < PRINTED.length; at += size) reader.add(PRINTED.subarray(at, at + size))
  const { refs, defaultBranch } = reader.read()
  expect(defaultBranch).toBe('main')
  expect(branchesIn(refs)).toEqual(['main', 'größe/ß'])
  expect(refs.get('HEAD')).toBe(HASH)
})

it('there is a limit', () => {
  const reader = createRefReader()
  const add = () => {
    for (let n = 0; n < 200_000; n += 1) reader.add(Buffer.from(`${HASH}\trefs/heads/b${n}\n`))
  }
  expect(add).toThrow('more branches than Berth can read (8 MiB)')
})

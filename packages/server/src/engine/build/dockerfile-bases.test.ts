import { expect, it } from 'vitest'
import { readDockerfile } from './dockerfile.ts'

const basesOf = (text: string, buildArgs: Record<string, string> = {}) =>
  readDockerfile(text, { buildArgs, platform: 'linux/arm64' }).bases.map(({ line, image, platform }) => [line, image, platform])

it.each([
  ['FROM node:20-alpine', [1, 'node:20-alpine', '']],
  ['from ghcr.io/a/b:1 AS build', [1, 'ghcr.io/a/b:1', '']],
  ['FROM --platform=linux/amd64 a/b', [1, 'a/b', 'linux/amd64']],
  ['FROM --platform=$BUILDPLATFORM a/b', [1, 'a/b', 'linux/arm64']],
  ['FROM a/b:${TARGETARCH}', [1, 'a/b:arm64', '']],
  ['# which\n\nARG V=1.2\nFROM a/b:${V}-slim', [4, 'a/b:1.2-slim', '']],
  ['ARG A="a/b" V=1\nFROM $A:$V', [2, 'a/b:1', '']],
  ['ARG V=1\nARG I=a/b:${V}\nFROM ${I}', [3, 'a/b:1', '']],
  ['ARG V\nARG W=1\nFROM a/b:${W:-2}', [3, 'a/b:1', '']],
  ['ARG V=\nFROM a/b:${V:-2}', [2, 'a/b:2', '']],
  ['FROM a\nARG V=1\nFROM b/c', [3, 'b/c', '']],
])('%j builds on what it seems to', (text, base) => {
  expect(basesOf(text)).toContainEqual(base)
  expect(basesOf(text).every(([, image]) => image !== null)).toBe(true)
})

it('an argument of the build counts more than what the file says', () => {
  expect(basesOf('ARG V=1\nFROM a/b:$V', { V: '2' })).toEqual([[2, 'a/b:2', '']])
  expect(basesOf('ARG V\nFROM a/b:$V', { V: '2' })).toEqual([[2, 'a/b:2', '']])
  expect(basesOf('FROM a/b:$V', { V: '2' })).toEqual([[1, null, '']]) // it is not declared
  expect(basesOf('FROM --platform=$TARGETPLATFORM a/b', { TARGETPLATFORM: 'linux/s390x' })).toEqual([[1, 'a/b', 'linux/s390x']])
})

it.each([
  'FROM "a/b"',
  'FROM a/\\b',
  'FROM a/`b',
  'FROM $X',
  'FROM ${X}a/b',
  'FROM ${X:-a}/b',
  'FROM a/b\nARG X=c\nFROM $X/d',
  "ARG X='a'\nFROM $X/b",
  'ARG X=a\\\nFROM $X/b',
  'ARG X=a\nRUN x\nFROM $X/b',
  'ARG BUILDKIT_CACHE_MOUNT_NS=a\nFROM b/$BUILDKIT_CACHE_MOUNT_NS',
  'ARG TARGETARCH=x\nFROM a/b:$TARGETARCH',
  'ARG TARGETARCH\nFROM a/b:${TARGETARCH:-x}',
  'ARG X=a\nFROM ${X:+c/d}',
  'ARG X=a\nFROM ${X#a}b/c',
  'ARG X=a\nFROM $$X/b',
])('what %j builds on is left open', (text) => {
  expect(basesOf(text).some(([, image]) => image === null)).toBe(true)
})

it('a quoted blank does not hide an image', () => {
  expect(basesOf('FROM --platform="${X:-a b}" c/d')).toEqual([[1, 'c/d', null]])
  expect(basesOf('FROM --platform=a\\ b c/d')).toContainEqual([1, 'c/d', null])
})

it('a name that grows beyond any image name with its arguments is not known', () => {
  const grown = ['ARG a0=xxxxxxxxxxxxxxxxxxxx', ...[1, 2, 3].map((n) => `ARG a${n}=${`$a${n - 1}`.repeat(12)}`)]
  expect(basesOf([...grown.slice(0, 3), 'FROM b/$a1'].join('\n'))).toEqual([[4, `b/${'x'.repeat(240)}`, '']])
  expect(basesOf([...grown.slice(0, 3), 'FROM b/$a2'].join('\n'))).toEqual([[4, null, '']])
  expect(basesOf([...grown, 'FROM b/c'].join('\n'))).toEqual([[5, 'b/c', '']])
})

it('a few lines whose arguments would fill the memory are too long', () => {
  const lines = ['x'.repeat(1000), ...[0, 1, 2].map((n) => `$a${n}`.repeat(30)), '$a3'.repeat(14)].map((value, n) => `ARG a${n}=${value}`)
  expect(readDockerfile([...lines, 'FROM b/$a4'].join('\n'))).toMatchObject({
    bases: [],
    tooLong: expect.stringContaining('longer than 64 KiB'),
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createKeptOutput, type KeptOutput } from './kept-output.ts'

let directory: string
let output: KeptOutput
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-kept-'))
  output = createKeptOutput({ directory: join(directory, 'logs'), log: { warn: () => undefined } })
})
afterAll(async () => await rm(directory, { recursive: true }))

const at = '2026-11-16T13:00:00.000000001Z'

it('the last lines of a container come back with their times', async () => {
  await output.keep(
    1,
    ['one', 'two', 'three'].map((line) => ({ at, line })),
  )
  expect(await output.read(1, 2)).toBe(`${at} two\n${at} three`)
  expect(await output.read(2, 2)).toBe('')
})

it('no more is kept than anybody reads', async () => {
  await output.keep(
    3,
    Array.from({ length: 5000 }, (_, n) => ({ at, line: `line ${n}` })),
  )
  const lines = (await output.read(3, 10_000)).split('\n')
  expect(lines).toHaveLength(2000)
  expect(lines.at(-1)).toBe(`${at} line 4999`)
  await output.keep(
    4,
    Array.from({ length: 100 }, () => ({ at, line: 'x'.repeat(16_000) })),
  )
  const long = await output.read(4, 10_000)
  expect(long.length).toBeLessThanOrEqual(512 * 1024)
  expect(long.length).toBeGreaterThan(400 * 1024)
})

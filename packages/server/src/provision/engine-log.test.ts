import { appendFileSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { limitEngineLog } from './engine-log.ts'

const directory = mkdtempSync(path.join(tmpdir(), 'berth-engine-log-'))
afterAll(() => rmSync(directory, { recursive: true }))

it('a long log keeps its last lines, and the engine goes on writing to it', async () => {
  const file = path.join(directory, 'dockerd.log')
  const engine = openSync(file, 'a')
  appendFileSync(file, `${'x'.repeat(99)}\n`.repeat(400_000))
  writeSync(engine, 'the last line\n')
  await limitEngineLog(file)
  writeSync(engine, 'a new line\n')
  expect(statSync(file).size).toBeLessThan(1_100_000)
  expect(readFileSync(file, 'utf8')).toMatch(/^x{99}\n.*\nthe last line\na new line\n$/s)
})

it('a short one is left alone, and a missing one is no problem', async () => {
  const file = path.join(directory, 'short.log')
  writeFileSync(file, 'one line\n')
  await limitEngineLog(file)
  await limitEngineLog(path.join(directory, 'missing.log'))
  expect(readFileSync(file, 'utf8')).toBe('one line\n')
})

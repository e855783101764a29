import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { secretFile } from './secret-file.ts'
import { StartRefused } from './start-refused.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-key-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

it('makes 32 bytes of mode 0600 once, and reads the same ones ever after', () => {
  const path = join(directory, 'some.key')
  const key = secretFile(path, { mayCreate: true })
  expect(key).toHaveLength(32)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(secretFile(path, { mayCreate: false })).toEqual(key)
  expect(readdirSync(directory)).toEqual(['some.key'])
})

it('refuses the start when the key is missing although there is a database, damaged, or no file', () => {
  const path = join(directory, 'some.key')
  expect(() => secretFile(path, { mayCreate: false })).toThrow(/is missing although there is a database; restore it from a backup/)
  writeFileSync(path, 'short')
  expect(() => secretFile(path, { mayCreate: true })).toThrow(/must have 32 bytes but has 5/)
  expect(() => secretFile(directory, { mayCreate: true })).toThrow(StartRefused)
})

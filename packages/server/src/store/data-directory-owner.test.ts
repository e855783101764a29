import { existsSync } from 'node:fs'
import { type DisposableTempDir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { refusePostgresHere, rememberPostgres } from './data-directory-owner.ts'
import { openDatabase } from './open.ts'
import { databasePath } from './sqlite/open.ts'

const sqlite = { kind: 'sqlite' } as const
const options = { now: () => new Date(), onCommit: () => undefined }
let directory: DisposableTempDir

beforeEach(async () => {
  directory = await mkdtempDisposable(path.join(tmpdir(), 'berth-owner-'))
})
afterEach(async () => await directory.remove())

it('a directory that belongs to PostgreSQL is not used with SQLite, by the server or by a command', async () => {
  const dataDir = directory.path
  await rememberPostgres(dataDir, 'a1b2c3d4')
  await expect(openDatabase({ dataDir, database: sqlite }, options)).rejects.toThrow(
    'belongs to a PostgreSQL database. Set BERTH_DATABASE_URL',
  )
  expect(existsSync(databasePath(dataDir))).toBe(false)
})

it('a directory with a SQLite database is not used with PostgreSQL before that database is moved away', async () => {
  const dataDir = directory.path
  refusePostgresHere(dataDir, undefined)
  await writeFile(databasePath(dataDir), '')
  for (const instance of [undefined, 'a1b2c3d4']) expect(() => refusePostgresHere(dataDir, instance)).toThrow('migrate-database postgres')
})

it('a directory is not used with another PostgreSQL database, nor with its own once that was emptied', async () => {
  const dataDir = directory.path
  await rememberPostgres(dataDir, 'a1b2c3d4')
  refusePostgresHere(dataDir, 'a1b2c3d4')
  for (const instance of [undefined, 'ffffffff'])
    expect(() => refusePostgresHere(dataDir, instance)).toThrow('belongs to another PostgreSQL database')
})

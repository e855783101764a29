import BetterSqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { copyTables } from '../store/transfer/copy-tables.ts'
import { sqliteSource, sqliteTarget } from '../store/transfer/sqlite-side.ts'
import { wordsFor } from './commands.ts'

/** What the work throws. */
async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (cause) {
    return cause
  }
  throw new Error('it did not fail')
}

it('a failed copy of the data is explained in a sentence', async () => {
  using files = openFiles()
  files.from.exec('create table stray (id integer)')
  const failure = await failureOf(async () => await copyTables(sqliteSource(files.from), sqliteTarget(files.to)))
  expect(wordsFor(failure)).toBe('The data could not be copied: this version does not know the table stray.')
})

it('a full disk is explained in a sentence', async () => {
  using files = openFiles()
  files.to.pragma('max_page_count = 2')
  files.to.exec('create table page (text text)')
  const insert = files.to.prepare('insert into page values (?)')
  const failure = await failureOf(() => insert.run('x'.repeat(100_000)))
  expect(String(failure)).toContain('database or disk is full')
  expect(wordsFor(failure)).toBe('The disk is full. Free some space, and try again.')
})

it('a bug stays a bug, with its stack', () => {
  expect(wordsFor(new Error('it is not possible'))).toBeUndefined()
})

function openFiles() {
  const [from, to] = [new BetterSqlite(':memory:'), new BetterSqlite(':memory:')]
  return {
    from,
    to,
    [Symbol.dispose]: () => {
      for (const file of [from, to]) file.close()
    },
  }
}

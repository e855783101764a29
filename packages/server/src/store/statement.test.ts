import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import type { Reader, Tx } from './database.ts'
import { type Placeholders, statement } from './statement.ts'

let test: Awaited<ReturnType<typeof openTestDatabase>>
beforeEach(async () => {
  test = await openTestDatabase()
})
afterEach(async () => await test[Symbol.asyncDispose]())

const factsLike = statement((db: Reader, { value, like }: Placeholders<{ value: string; like: string }>) =>
  db.selectFrom('fact').select('name').where('name', 'like', like).where('value', '=', value).orderBy('name').limit(2),
)

it('is built once for each set of fields, and every call has its own values', async () => {
  let built = 0
  const insert = statement((tx: Tx, row: Placeholders<{ name: string; value: string }>) => {
    built += 1
    return tx.insertInto('fact').values(row).returningAll()
  })
  await test.db.transaction(async (tx) => {
    expect(await insert(tx, { name: 's1', value: 'a' })).toEqual([{ name: 's1', value: 'a' }])
    for (const name of ['s2', 's3', 's4']) await insert(tx, { name, value: 'b' })
    expect(await factsLike(tx, { like: 's%', value: 'b' })).toEqual([{ name: 's2' }, { name: 's3' }])
  })
  expect(built).toBe(1)
  expect(await factsLike(test.db, { value: 'a', like: 's%' })).toEqual([{ name: 's1' }])
})

it('a field that is missing or undefined is no part of the statement', async () => {
  const change = statement((tx: Tx, { of, ...set }: Placeholders<{ of: string; name?: string | undefined; value?: string | undefined }>) =>
    tx.updateTable('fact').set(set).where('name', '=', of).returningAll(),
  )
  await test.db.transaction(async (tx) => {
    await tx.insertInto('fact').values({ name: 's1', value: 'a' }).execute()
    expect(await change(tx, { of: 's1', value: 'b' })).toEqual([{ name: 's1', value: 'b' }])
    expect(await change(tx, { of: 's1', name: 's2', value: undefined })).toEqual([{ name: 's2', value: 'b' }])
    expect(await change(tx, { of: 's1', value: 'c' })).toEqual([])
  })
})

import { expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { type Actor, changedFields, PLATFORM, recordAudit } from './audit.ts'

it('keeps the fields that really changed, before and after', () => {
  const before = { name: 'a', port: 80, tags: '' }
  expect(changedFields(before, { name: 'b', port: 80 })).toEqual({ before: { name: 'a' }, after: { name: 'b' } })
  expect(changedFields(before, {})).toEqual({ before: {}, after: {} })
})

async function recorded(detail: Record<string, unknown>): Promise<string> {
  await using test = await openTestDatabase()
  await test.db.transaction(
    async (tx) => await recordAudit(tx, new Date(), PLATFORM, { action: 'app.update', subject: 'app', before: detail, after: detail }),
  )
  const row = await test.db.selectFrom('audit').select(['before', 'after']).executeTakeFirstOrThrow()
  expect(row.before).toBe(row.after)
  return row.after
}

it('keeps short details as they are, and cuts each field of long ones', async () => {
  const short = { name: 'a', ids: [1, 2], nothing: null, description: 'x'.repeat(300) }
  expect(JSON.parse(await recorded(short))).toEqual(short)
  const long = { ...short, nothing: undefined, description: '\u0001'.repeat(2000), ids: Array.from({ length: 5000 }, (_, id) => id) }
  const kept = JSON.parse(await recorded(long)) as Record<string, unknown>
  expect(Object.keys(kept)).toEqual(['name', 'ids', 'description'])
  expect(kept).toMatchObject({ name: 'a', ids: expect.stringMatching(/^\[0,1,2,3,.*…$/), description: expect.stringMatching(/…$/) })
})

const fieldsOf = (count: number, value: unknown) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`field_${n}`, value]))

it.each([
  ['control characters', fieldsOf(16, '\u0001'.repeat(2000))],
  ['quotes', fieldsOf(1, '"'.repeat(20_000))],
  ['halves of characters', fieldsOf(3, '\ud83d'.repeat(5000))],
  [
    'lists',
    fieldsOf(
      2,
      Array.from({ length: 1000 }, () => 'K'.repeat(254)),
    ),
  ],
  ['objects', fieldsOf(5, { inner: { text: '\\'.repeat(9000) } })],
])('a line has at most 2 KiB of it: %s', async (_, detail) => {
  expect((await recorded(detail)).length).toBeLessThanOrEqual(2048)
})

it('cuts every long text, also inside of lists', async () => {
  const long = 'x'.repeat(301)
  const cut = `${'x'.repeat(300)}…`
  expect(JSON.parse(await recorded({ name: 'a', description: long, names: ['b', long] }))).toEqual({
    name: 'a',
    description: cut,
    names: ['b', cut],
  })
})

it.each([
  ['user', 6000],
  ['admin', 20_000],
] as const)('refuses a person with the role %s who makes %s changes within a minute, and nobody else', async (role, most) => {
  await using test = await openTestDatabase()
  const { origin } = PLATFORM
  const person = { id: 7, email: 'person@example.test', role, origin }
  const change = async (at: number, actor: Actor) =>
    await test.db.transaction(async (tx) => await recordAudit(tx, new Date(at), actor, { action: 'app.update', subject: 'app' }))
  await change(1_000_000, person)
  const { id, ...line } = await test.db.selectFrom('audit').selectAll().executeTakeFirstOrThrow()
  expect(id).toBe(1)
  const lines = async (count: number) =>
    await test.db.transaction(
      async (tx) =>
        await tx
          .insertInto('audit')
          .values(Array.from({ length: count }, () => line))
          .execute(),
    )
  for (let left = most - 2; left > 0; left -= 800) await lines(Math.min(left, 800))
  await change(1_059_999, person) // the last one that is allowed
  await expect(change(1_059_999, person)).rejects.toMatchObject({
    code: 'too_many_changes',
    message: `You made more than ${most.toLocaleString('en')} changes within a minute. Try again in a minute.`,
  })
  await change(1_059_999, { ...person, id: 8 })
  await change(1_060_000, person)
  await change(0, person) // the clock was set back
})

import { expect, it } from 'vitest'
import { addApp } from '../../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../../testing/harness/test-database.ts'
import { createRestoreLater } from './restore-later.ts'

it('a restore takes the turn of the owner of the project, whoever the app was given to', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const [app, { created_by: heir }] = [await addApp(db, 'owner@example.test'), await addApp(db, 'heir@example.test')]
  await db.transaction(async (tx) => void (await tx.updateTable('app').set({ created_by: heir }).where('id', '=', app.id).execute()))
  await createRestoreLater({ db, now: () => new Date() })(app)
  expect(await db.selectFrom('job').select(['name', 'tenant']).execute()).toEqual([
    { name: 'app.restore', tenant: `user:${app.created_by}` },
  ])
})

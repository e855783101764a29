import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { countReplicas } from './replica-quota.ts'

it('counts the settings, and what only the live release or one that has not ended has', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const count = async () => await countReplicas(db, app.project_id)
  expect(await count()).toBe(1)
  const processes = (name: string, replicas: number) => JSON.stringify([{ name, command: 'x', replicas }])
  await db.transaction(
    async (tx) =>
      await tx
        .updateTable('app')
        .set({ processes: processes('worker', 2) })
        .execute(),
  )
  expect(await count()).toBe(3)
  const { id } = await addDeployment(db, app, { sealed_config: '', image: 'i' })
  const setRelease = async (change: { processes?: string; is_active?: 0 | 1; finished_at?: string }) =>
    await db.transaction(async (tx) => await tx.updateTable('deployment').set(change).where('id', '=', id).execute())
  await setRelease({ processes: processes('worker', 5) })
  expect(await count()).toBe(6)
  await setRelease({ processes: processes('other', 5), is_active: 1, finished_at: '2026-01-01' })
  expect(await count()).toBe(8)
  await setRelease({ is_active: 0 })
  expect(await count()).toBe(3)
})

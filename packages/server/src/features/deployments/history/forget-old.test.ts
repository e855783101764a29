import type { DeploymentStatus } from '@berth/contract'
import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../../testing/harness/test-database.ts'
import { enqueue } from '../../../domain/job-names.ts'
import type { AppRow } from '../../../domain/rows.ts'
import type { Db } from '../../../store/database.ts'
import { moveDeployment, noteDeployment } from '../store.ts'
import { createForgetOld } from './forget-old.ts'
import { listDeployments } from './lists-store.ts'

async function addEnded(db: Db, app: AppRow, to: DeploymentStatus, image = ''): Promise<number> {
  const { id } = await addDeployment(db, app, { sealed_config: '', image })
  await db.transaction(async (tx) => await moveDeployment(tx, { id, from: 'deploying', to, at: new Date() }))
  return id
}
const forget = (db: Db, kept: number, atOnce: number) => createForgetOld({ db, kept, atOnce })(new AbortController().signal)
const numbers = async (db: Db, app: AppRow) => (await listDeployments(db, { appId: app.id })).map(({ number }) => number)

it('keeps the newest finished deployments of each app', async () => {
  await using test = await openTestDatabase()
  const [busy, quiet] = [await addApp(test.db, 'a@example.test'), await addApp(test.db, 'b@example.test')]
  for (let n = 0; n < 12; n += 1) await addEnded(test.db, busy, n % 2 === 0 ? 'failed' : 'stopped')
  for (let n = 0; n < 3; n += 1) await addEnded(test.db, quiet, 'failed')
  await forget(test.db, 3, 4) // and goes on until nothing is left to do
  expect(await numbers(test.db, busy)).toEqual([12, 11, 10])
  expect(await numbers(test.db, quiet)).toEqual([3, 2, 1])
  await addEnded(test.db, busy, 'failed')
  expect(await numbers(test.db, busy)).toEqual([13, 12, 11, 10])
})

it('never forgets the live release, what can be rolled back to, what has not ended, and what a job works on', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const live = await addEnded(db, app, 'success')
  await db.transaction(async (tx) => await noteDeployment(tx, { id: live, status: 'success', at: new Date(), change: { is_active: 1 } }))
  await addEnded(db, app, 'success', 'kept:2')
  await addDeployment(db, app, { sealed_config: 'sealed', image: '' })
  const cancelled = await addEnded(db, app, 'stopped')
  const asked = { by: 1, at: new Date() }
  await db.transaction(async (tx) => await enqueue(tx, 'deployment.run', { deploymentId: cancelled, appId: app.id }, asked))
  await addEnded(db, app, 'success') // its image is gone
  await addEnded(db, app, 'failed', 'failed:6')
  for (let n = 0; n < 2; n += 1) await addEnded(db, app, 'failed')
  await forget(db, 2, 100)
  expect(await numbers(db, app)).toEqual([8, 7, 4, 3, 2, 1])
})

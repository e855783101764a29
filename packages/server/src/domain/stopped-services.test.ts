import { expect, it } from 'vitest'
import { addApp } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { findApp } from './rows.ts'
import { setServiceStopped, setStoppedServices, stoppedServices } from './stopped-services.ts'

it('services are stopped and started one by one, and all are started at once', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const { id } = await addApp(db, 'one@example.test')
  const stopped = async () => [...stoppedServices((await findApp(db, id)) ?? { stopped_services: '["no app"]' })]
  const set = async (service: string, isStopped: boolean) =>
    await db.transaction(async (tx) => await setServiceStopped(tx, id, { service, isStopped }))
  expect(await stopped()).toEqual([])
  await Promise.all(['web', 'db'].map(async (service) => await set(service, true)))
  await set('db', true)
  expect(await stopped()).toEqual(['db', 'web'])
  await set('db', false)
  expect(await stopped()).toEqual(['web'])
  await db.transaction(async (tx) => await setStoppedServices(tx, id, []))
  expect(await stopped()).toEqual([])
})

import { shownStatus } from '@berth/contract'
import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createAppLists, listVisibleApplications, presentApplication } from './store.ts'

const PORTS = { httpPort: 80, httpsPort: 443 }

it('an app is deployed while it has a live release, in every list and by itself', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const listOf = createAppLists(db, PORTS)
  const shown = async () => {
    const ways = [...(await listOf(app.project_id)), ...(await listVisibleApplications(db, PORTS, undefined))]
    return [...ways, await presentApplication(db, PORTS, app)].map(shownStatus)
  }
  expect(await shown()).toEqual(['not_deployed', 'not_deployed', 'not_deployed'])
  const { id } = await addDeployment(db, app, { sealed_config: '', image: 'i' })
  expect(await shown()).toEqual(['not_deployed', 'not_deployed', 'not_deployed'])
  const setLive = async (isActive: 0 | 1) =>
    await db.transaction(async (tx) => await tx.updateTable('deployment').set({ is_active: isActive }).where('id', '=', id).execute())
  await setLive(1)
  expect(await shown()).toEqual(['stopped', 'stopped', 'stopped'])
})

import { expect, it } from 'vitest'
import { addApp } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { appendEvent } from '../events/event-log.ts'
import { insertBuildTime } from '../features/deployments/build-cache/build-times-store.ts'
import { deleteRegistry, insertRegistry } from '../features/registries/store.ts'
import { createHousekeeping } from './housekeeping.ts'

const at = new Date()
const kept = { eventsMs: 1000, events: 3, deliveriesMs: 1000, deliveriesOfAccount: 3, builds: 3, outages: 3, challengesMs: 0, hosts: 3 }

it('keeps the newest events, builds and former private registries, and every registry that somebody has credentials for', async () => {
  await using test = await openTestDatabase()
  const { created_by: user_id } = await addApp(test.db, 'a@example.test')
  const account = { username: 'u', sealed_password: '', user_id, project_id: null, created_by: user_id, error: '' }
  const times = { created_at: at.toISOString(), updated_at: at.toISOString() }
  await test.db.transaction(async (tx) => {
    for (let n = 1; n <= 1500; n += 1) await appendEvent(tx, at, { type: 'user.changed', data: { userId: n } })
    for (let n = 1; n <= 6; n += 1) {
      await insertBuildTime(tx, at)
      const id = await insertRegistry(tx, { host: `r${n}.example.test`, ...account, ...times })
      if (n > 1) await deleteRegistry(tx, id)
    }
  })
  await createHousekeeping({ db: test.db, now: () => at }, kept)(new AbortController().signal)
  const { db } = test
  expect((await db.selectFrom('event').select('data').execute()).map(({ data }) => data)).toEqual(
    [1498, 1499, 1500].map((userId) => JSON.stringify({ userId })),
  )
  expect((await db.selectFrom('build_time').select('id').execute()).map(({ id }) => id)).toEqual([4, 5, 6])
  const hosts = (await db.selectFrom('private_host').select('host').execute()).map(({ host }) => host)
  expect(hosts.toSorted()).toEqual([1, 4, 5, 6].map((n) => `r${n}.example.test`))
})

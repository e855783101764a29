import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { decideAppData } from '../../domain/app-data.ts'
import { refuseLeavingData } from './placed-data.ts'

/** Whether an app with this data may get this placement; why not, if not. */
async function refusal(data: string, placement: string, volumes = '[{"name":"data","path":"/data","shareable":false}]'): Promise<string> {
  await using test = await openTestDatabase()
  const before = { ...(await addApp(test.db, 'a@example.test')), volumes, placement: 'x' }
  const row = { app_id: before.id, server: data, server_name: 'n2', decided_at: '' }
  if (data !== '') await test.db.transaction(async (tx) => await decideAppData(tx, row))
  const change = refuseLeavingData(test.db, { before, after: { ...before, placement } })
  return await change.then(
    () => '',
    (cause: unknown) => String(cause),
  )
}

it.each([
  ['b', ''],
  ['b', 'this'],
  ['b', 'server:c'],
  ['b', 'label:fast'],
  ['this', 'server:b'],
])('data on %s is not left behind by the placement %j', async (data, placement) => {
  expect(await refusal(data, placement)).toContain('berth apps move a <server>')
  expect(await refusal(data, placement, '[]')).toBe('') // it has no volumes any more
})

it.each([
  ['b', 'server:b'],
  ['this', ''],
  ['this', 'this'],
  ['', 'server:b'],
])('data on %j fits the placement %j', async (data, placement) => {
  expect(await refusal(data, placement)).toBe('')
})

import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('earlier deployments have no steps, and existing sessions stay valid without an address', async () => {
  using old = await openOldDatabase(9)
  old.insert('session', { id: 's', user_id: 1 })
  old.insert('deployment', { app_id: 1, number: 1, status: 'success', image: '' })
  await old.migrateTo(10)
  expect(old.file.prepare('select steps from deployment').all()).toEqual([{ steps: '[]' }])
  expect(old.file.prepare('select id, address, client from session').all()).toEqual([{ id: 's', address: '', client: '' }])
  expect(old.file.prepare('select count(*) as count from invitation').all()).toEqual([{ count: 0 }])
})

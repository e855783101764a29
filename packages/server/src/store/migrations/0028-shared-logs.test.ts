import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('deployments that are there have their logs in files only, and what is stored of one goes with it', async () => {
  using old = await openOldDatabase(27)
  const { file } = old
  for (const id of [1, 2]) old.insert('deployment', { id, app_id: id, number: 1, is_active: 0, image: '' })
  await old.migrateTo(28)
  expect(file.prepare('select * from deployment_log').all()).toEqual([])
  file.pragma('foreign_keys = ON')
  for (const deployment_id of [1, 2]) {
    old.insert('deployment_log', { deployment_id, is_open: 0, bytes: 2 })
    old.insert('deployment_log_part', { deployment_id, start: 0, bytes: 2 })
    old.insert('deployment_file', { deployment_id })
  }
  file.prepare('delete from deployment where id = 1').run()
  for (const table of ['deployment_log', 'deployment_log_part', 'deployment_file'])
    expect(file.prepare(`select deployment_id from ${table}`).pluck().all(), table).toEqual([2])
})

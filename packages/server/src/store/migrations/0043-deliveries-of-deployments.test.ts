import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('a deleted deployment is forgotten by its deliveries, which are found by an index', async () => {
  using old = await openOldDatabase(42)
  for (const id of [1, 2]) old.insert('deployment', { id, app_id: 1, number: id, image: '', finished_at: 't', triggered_by: null })
  for (const id of [1, 2]) old.insert('git_delivery_app', { id, delivery_id: 1, app_id: id, deployment_id: id })
  await old.migrateTo(43)
  const plan = old.file.prepare<[], { detail: string }>('explain query plan select id from git_delivery_app where deployment_id = 1').all()
  expect(plan.map(({ detail }) => detail).join()).toMatch(/^SEARCH .* USING COVERING INDEX/)
  old.file.pragma('foreign_keys = ON')
  old.file.exec('delete from deployment where id = 1')
  expect(old.file.prepare('select id, deployment_id from git_delivery_app order by id').all()).toEqual([
    { id: 1, deployment_id: null },
    { id: 2, deployment_id: 2 },
  ])
})

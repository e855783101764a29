import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('a deploy hook that is there belongs to whoever made its secret, if that person is still there', async () => {
  using old = await openOldDatabase(16)
  old.insert('user', { id: 1 })
  old.insert('user', { id: 2 })
  for (const [id, hash] of [
    [1, 'aa'],
    [2, ''],
    [3, 'bb'],
    [4, 'cc'],
  ])
    old.insert('app', { id, hook_hash: hash })
  const rotated = (id: number, by: number, appId: number) =>
    old.insert('audit', { id, actor_id: by, action: 'app.hook_rotate', subject: 'app', subject_id: appId })
  rotated(1, 1, 1)
  rotated(2, 2, 1)
  rotated(3, 1, 2)
  rotated(4, 7, 3)
  old.insert('commit_status', { deployment_id: 1, failures: 0 })
  await old.migrateTo(17)
  expect(old.file.prepare('select hook_by from app order by id').pluck().all()).toEqual([2, null, null, null])
  expect(old.file.prepare('select host_deployment from commit_status').pluck().all()).toEqual([''])
})

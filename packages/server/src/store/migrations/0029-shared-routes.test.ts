import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('a node that is there has confirmed no routes, and what is said of the routes of an app goes with it', async () => {
  using old = await openOldDatabase(28)
  const { file } = old
  old.insert('control_plane', { name: 'a', challenge_seen: 3 })
  for (const id of [1, 2]) old.insert('app', { id, slug: `app-${id}` })
  await old.migrateTo(29)
  expect(file.prepare('select name, challenge_seen, routes_seen, routes_busy from control_plane').all()).toEqual([
    { name: 'a', challenge_seen: 3, routes_seen: 0, routes_busy: '[]' },
  ])
  file.pragma('foreign_keys = ON')
  for (const app_id of [1, 2]) old.insert('route_change', { app_id, revision: 1 })
  file.prepare('delete from app where id = 1').run()
  expect(file.prepare('select app_id from route_change').pluck().all()).toEqual([2])
})

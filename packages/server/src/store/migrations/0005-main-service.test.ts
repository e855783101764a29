import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

async function openWithApps() {
  const old = await openOldDatabase(4)
  old.insert('app', { id: 1, app_type: 'web' })
  old.insert('app', { id: 2, app_type: 'compose' })
  return old
}

it('images stay, and the main service of a compose release gets its own column', async () => {
  using old = await openWithApps()
  old.insert('deployment', { id: 1, app_id: 1, number: 1, image: 'berth/a:release' })
  old.insert('deployment', { id: 2, app_id: 1, number: 2, image: '' })
  old.insert('deployment', { id: 3, app_id: 2, number: 1, image: 'web' })
  old.insert('deployment', { id: 4, app_id: 2, number: 2, image: '' })
  await old.migrateTo(5)
  expect(old.file.prepare('select id, image, main_service from deployment order by id').raw().all()).toEqual([
    [1, 'berth/a:release', ''],
    [2, '', ''],
    [3, '', 'web'],
    [4, '', ''],
  ])
})

it('no release has both', async () => {
  using old = await openWithApps()
  await old.migrateTo(5)
  const both = { id: 1, app_id: 1, number: 1, image: 'berth/a:release', main_service: 'web' }
  expect(() => old.insert('deployment', both)).toThrow(/CHECK/)
})

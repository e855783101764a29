import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('no service of an existing app is stopped, and its domains belong to the app itself', async () => {
  using old = await openOldDatabase(14)
  old.insert('app', { id: 1, app_type: 'compose', wanted: 'running' })
  old.insert('domain', { id: 1, app_id: 1, host: 'a.example.test' })
  await old.migrateTo(15)
  expect(old.file.prepare('select stopped_services from app').all()).toEqual([{ stopped_services: '[]' }])
  expect(old.file.prepare('select service, port from domain').all()).toEqual([{ service: '', port: null }])
})

import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('deployments that failed before the migration have no suggestions', async () => {
  using old = await openOldDatabase(7)
  old.insert('deployment', { app_id: 1, number: 1, status: 'failed', image: '', error_message: 'It listens on 9999' })
  await old.migrateTo(8)
  const read = 'select error_message, failure from deployment'
  expect(old.file.prepare(read).all()).toEqual([{ error_message: 'It listens on 9999', failure: '' }])
})

import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('existing apps keep their Dockerfile, and a plan is deleted with its deployment', async () => {
  using old = await openOldDatabase(12)
  const { file } = old
  old.insert('app', { id: 1 })
  await old.migrateTo(16)
  expect(file.prepare('select builder, start_command, release_command, build_args from app').all()).toEqual([
    { builder: 'auto', start_command: '', release_command: '', build_args: '{}' },
  ])
  expect(file.prepare("select name from pragma_table_info('deployment_plan') order by cid").all()).toEqual([
    { name: 'deployment_id' },
    { name: 'plan' },
  ])
})

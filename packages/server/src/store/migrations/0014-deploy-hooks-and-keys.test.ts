import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('existing apps are only polled if they have an account, and have neither a hook nor a key', async () => {
  using old = await openOldDatabase(12)
  old.insert('app', { id: 1, git_provider_id: null })
  old.insert('app', { id: 2, git_provider_id: 7 })
  await old.migrateTo(14)
  const nothing = { hook_hash: '', deploy_key: '', host_key: '' }
  expect(old.file.prepare('select poll_source, hook_hash, deploy_key, host_key from app order by id').all()).toEqual([
    { poll_source: 0, ...nothing },
    { poll_source: null, ...nothing },
  ])
})

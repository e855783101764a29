import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('a person knows the webhook secret of a GitHub App that was connected by hand, and of no other', async () => {
  using old = await openOldDatabase(40)
  const owner = { user_id: 1, hook_failures: 0 }
  old.insert('github_app', { ...owner, host_id: '1', hook_key: 'a', hook_url: '' })
  old.insert('github_app', { ...owner, host_id: '2', hook_key: 'b', hook_url: 'https://berth.example.com/api/webhooks/git?app=b' })
  await old.migrateTo(41)
  expect(old.file.prepare('select host_id, chosen_secret from github_app order by id').all()).toEqual([
    { host_id: '1', chosen_secret: 1 },
    { host_id: '2', chosen_secret: 0 },
  ])
})

it('no repository is known to have been renamed before', async () => {
  using old = await openOldDatabase(40)
  await old.migrateTo(41)
  expect(old.file.prepare('select * from git_former_link').all()).toEqual([])
})

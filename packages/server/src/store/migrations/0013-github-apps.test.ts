import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('a delivery lists each app once, a GitHub App is connected once, and its installations are deleted with it', async () => {
  using old = await openOldDatabase(12)
  const { file } = old
  old.insert('git_delivery', { id: 1, account_id: 1, delivery: 'a', body: '' })
  old.insert('git_delivery', { id: 2, account_id: 1, delivery: 'b', body: '' })
  for (const [delivery, deployment] of [
    [1, 5],
    [1, 6],
    [2, null],
  ])
    old.insert('git_delivery_app', { delivery_id: delivery, app_id: 1, deployment_id: deployment })
  old.insert('git_hook', { account_id: 1, repository_id: '7', failures: 0 })
  await old.migrateTo(13)
  expect(file.prepare('select delivery_id, deployment_id, reason from git_delivery_app order by id').all()).toEqual([
    { delivery_id: 1, deployment_id: 6, reason: '' },
    { delivery_id: 2, deployment_id: null, reason: '' },
  ])
  expect(() => old.insert('git_delivery_app', { delivery_id: 1, app_id: 1 })).toThrow(/UNIQUE/)
  expect(file.prepare('select sealed_secret from git_hook').all()).toEqual([{ sealed_secret: '' }]) // it goes on with that of its account
  expect(file.prepare('select fingerprint, is_late from git_delivery').all()).toEqual([
    { fingerprint: '', is_late: 0 },
    { fingerprint: '', is_late: 0 },
  ])
  old.insert('git_delivery', { id: 3, account_id: 1, delivery: 'c', body: '', fingerprint: 'f' })
  expect(() => old.insert('git_delivery', { id: 4, account_id: 1, delivery: 'd', body: '', fingerprint: 'f' })).toThrow(/UNIQUE/)

  const app = { base_url: 'https://github.com', host_id: '1', user_id: 1, project_id: null }
  old.insert('github_app', { id: 1, hook_key: 'k', ...app })
  expect(() => old.insert('github_app', { id: 2, hook_key: 'l', ...app })).toThrow(/UNIQUE/)
  old.insert('git_account', { id: 9, github_app_id: 1, host_id: '70', user_id: 1, project_id: null })
  expect(() => old.insert('git_account', { id: 10, github_app_id: 1, host_id: '70', user_id: 1, project_id: null })).toThrow(/UNIQUE/)
  file.pragma('foreign_keys = ON')
  file.exec('delete from github_app')
  expect(file.prepare('select id from git_account').all()).toEqual([])
})

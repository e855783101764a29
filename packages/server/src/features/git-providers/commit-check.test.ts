import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { GitHost } from '../../git-hosts/host.ts'
import { createCommitCheck } from './commit-check.ts'
import type { HostAccess } from './host-access.ts'

const HASH = 'ab'.repeat(20)

it('the commit of a push must be on the branch if the push came from a GitHub App, whose secret a person may know', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'ann@example.test')
  const connect = async (via: 'app' | 'token') =>
    await db.transaction(async (tx) => {
      const at = new Date().toISOString()
      const texts = { name: via, base_url: '', login: '', host_id: via, sealed_token: '', sealed_secret: '', error: '' }
      const owned = { user_id: app.created_by, project_id: null, created_by: null, created_at: at, updated_at: at }
      const row = { ...texts, ...owned, provider: 'github', via, status: 'ok' } as const
      const { id } = await tx.insertInto('git_account').values(row).returning('id').executeTakeFirstOrThrow()
      return { ...app, git_provider_id: id, git_repository: 'acme/shop', git_branch: 'main' }
    })
  const asked: unknown[] = []
  const isAncestor: GitHost['isAncestor'] = async (...what) => {
    asked.push(what)
    return false
  }
  const use: HostAccess['use'] = async (_account, work) => await work({ isAncestor } as GitHost) // nothing else of a host is asked
  const check = createCommitCheck({ db, access: { use } })
  const pushed = { id: 1, commit_hash: HASH, trigger: 'webhook' } as const
  await check(await connect('token'), pushed, AbortSignal.timeout(10_000))
  expect(asked).toEqual([])
  const refused = check(await connect('app'), pushed, AbortSignal.timeout(10_000))
  await expect(refused).rejects.toThrow('is not on the branch main')
  expect(asked).toEqual([['acme/shop', HASH, 'main']])
})

import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { GitHubAppRow } from '../../domain/rows.ts'
import { createGroupedWrites } from '../../store/grouped-writes.ts'
import type { HandlePush } from './handle-push.ts'
import type { Push } from './push.ts'
import { createReceive } from './receive.ts'
import type { Sender } from './senders.ts'

const MIB = 1024 * 1024

function pushOf(bytes: number): Buffer {
  const push = { ref: 'refs/heads/main', before: 'a'.repeat(40), after: 'b'.repeat(40), repository: { id: 7, full_name: 'a/b' } }
  return Buffer.from(JSON.stringify({ ...push, x: 'x'.repeat(bytes) }))
}

/** A git host that is asked and does not answer. */
async function openInbox(accounts: readonly number[], act: HandlePush = async () => ({ result: 'ignored', reason: '', deployments: [] })) {
  const test = await openTestDatabase()
  const { created_by: user } = await addApp(test.db, 'ann@example.test')
  const texts = { name: 'robot', login: 'robot', sealed_token: '', sealed_secret: '', error: '', created_at: '', updated_at: '' }
  const place = { provider: 'gitea', via: 'token', base_url: 'https://git.example.com', status: 'ok', github_app_id: null } as const
  const rows = accounts.map((id) => ({
    ...texts,
    ...place,
    id,
    host_id: String(id),
    user_id: user,
    project_id: null,
    created_by: id === 3 ? null : user,
  }))
  await test.db.transaction(async (tx) => void (await tx.insertInto('git_account').values(rows).execute()))
  const answer = Promise.withResolvers<void>()
  const senderOf = async ({ account: id }: { account?: number | undefined }): Promise<Sender | undefined> => {
    const account = rows.find((row) => row.id === id)
    return account && { kind: 'hook', provider: 'gitea', secret: 's', account, isOfRepository: async () => true }
  }
  const receive = createReceive({
    db: test.db,
    write: createGroupedWrites(test.db),
    senderOf,
    act,
    withSureName: async (_account, push: Push) => {
      await answer.promise
      return push
    },
    withSurePaths: async (_account, push) => push,
    findInstalled: async () => undefined,
    handleInstallation: async () => undefined,
    now: () => new Date(),
  })
  const deliver = async (account: number, bytes: number, id: string) => {
    const body = pushOf(bytes)
    const signature = createHmac('sha256', 's').update(body).digest('hex')
    const headers = { 'x-gitea-event': 'push', 'x-gitea-signature': signature, 'x-gitea-delivery': id }
    return await receive({ account }, { headers, body })
  }
  return { deliver, answer: answer.resolve, [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose]() }
}

it('the bodies of deliveries that wait for their host are limited, and one person leaves room for others', async () => {
  await using inbox = await openInbox([1, 2, 3])
  const busy = { code: 'server_busy' }
  const large = inbox.deliver(1, 20 * MIB, 'a')
  await expect(inbox.deliver(2, 20 * MIB, 'b')).rejects.toMatchObject(busy)
  const eight = Array.from({ length: 8 }, (_, n) => n).map(async (n) => await inbox.deliver(1, MIB - 1000, `c${n}`))
  for (const of of [1, 2]) await expect(inbox.deliver(of, MIB - 1000, 'd')).rejects.toMatchObject(busy)
  const other = inbox.deliver(3, MIB - 1000, 'e')
  inbox.answer()
  for (const { result } of await Promise.all([large, other, ...eight])) expect(result).toBe('ignored')
  await expect(inbox.deliver(2, 20 * MIB, 'b')).resolves.toMatchObject({ delivery: 'b' })
})

it('a push that concerns many apps counts as several deliveries', async () => {
  const done = { result: 'deployed', reason: '', deployments: [] } as const
  await using inbox = await openInbox([1], async () => ({ left: 990, goOn: async () => ({ ...done, deployments: [] }) }))
  inbox.answer()
  const results: string[] = []
  for (let n = 0; n < 7; n += 1) {
    const [sent] = await Promise.allSettled([inbox.deliver(1, n, `d${n}`)])
    results.push(sent.status === 'fulfilled' ? sent.value.result : String(sent.reason))
  }
  expect(results).toEqual([...Array.from({ length: 6 }, () => 'deployed'), expect.stringContaining('send it again in a minute')])
})

it('the deliveries of a GitHub App are limited together, whatever installations they name', async () => {
  await using test = await openTestDatabase()
  const sender = { kind: 'app', provider: 'github', secret: 's', app: { id: 1 } as GitHubAppRow } as const // nothing else of it is read
  const receive = createReceive({
    db: test.db,
    write: async (work) => await test.db.transaction(work),
    senderOf: async () => sender,
    act: async () => await Promise.reject(new Error('nothing is installed')),
    withSureName: async (_account, push) => push,
    withSurePaths: async (_account, push) => push,
    findInstalled: async () => undefined,
    handleInstallation: async () => undefined,
    now: () => new Date(0),
  })
  const deliver = async (installation: number) => {
    const body = Buffer.from(JSON.stringify({ installation: { id: installation } }))
    const signature = `sha256=${createHmac('sha256', 's').update(body).digest('hex')}`
    return await receive({}, { headers: { 'x-github-event': 'push', 'x-hub-signature-256': signature }, body })
  }
  const sent = Array.from({ length: 700 }, async (_, n) => await deliver(n))
  const refused = (await Promise.allSettled(sent)).filter(({ status }) => status === 'rejected')
  expect(refused.length).toBe(100)
  expect(refused[0]).toMatchObject({
    reason: { code: 'server_busy', message: expect.stringContaining('This GitHub App sends more than 600') },
  })
})

import { createHmac } from 'node:crypto'
import type { GitProvider } from '@berth/contract'
import { isProofOfHost } from '../../domain/account-use.ts'
import { findGitAccount, type GitAccountRow, type GitHubAppRow } from '../../domain/rows.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Reader } from '../../store/database.ts'
import { findHook, type HookRow, hasSharedSecret } from './hooks-store.ts'

/** The claimed sender of a delivery, and the secret that would prove it. */
export type Sender =
  | {
      kind: 'hook'
      provider: GitProvider
      secret: string
      account: GitAccountRow
      isOfRepository: (tx: Reader, repositoryId: string) => Promise<boolean>
    }
  | { kind: 'app'; provider: 'github'; secret: string; app: GitHubAppRow }

export type Address = Partial<Record<'repository' | 'key' | 'app', string | undefined>> & { account?: number | undefined }

const KEY_LENGTH = 22
const MOST_OPENED = 1000

type Deps = {
  db: Reader
  secrets: SecretBox
  findAppByKey: (hookKey: string) => Promise<GitHubAppRow | undefined>
  aboutAppSecret: (hookKey: string) => string
  aboutAccountSecret: (accountId: number) => string
}

export function aboutHook(hook: { account_id: number; repository_id: string }): string {
  return `git-hook:${hook.account_id}/${hook.repository_id}`
}

/** The part of a webhook URL that cannot be guessed: deliveries to other URLs are not even read. It reveals nothing about the secret. */
export function addressKey(secret: string): string {
  return createHmac('sha256', secret).update('the address of the webhook').digest('base64url').slice(0, KEY_LENGTH)
}

/** Remembers what it opened: each delivery needs that twice, and it takes longer than to find the row. */
function createOpenHook(secrets: SecretBox) {
  const opened = new Map<string, { secret: string; key: string }>()

  return (hook: HookRow): { secret: string; key: string } => {
    const about = aboutHook(hook)
    const name = `${about} ${hook.sealed_secret}`
    const known = opened.get(name)
    if (known) return known
    const secret = secrets.open(hook.sealed_secret, about)
    const found = { secret, key: addressKey(secret) }
    if (opened.size >= MOST_OPENED) opened.clear()
    opened.set(name, found)
    return found
  }
}

/** Finds the sender from the URL that a delivery was sent to. */
export function createSenders({ db, secrets, findAppByKey, aboutAppSecret, aboutAccountSecret }: Deps) {
  const openHook = createOpenHook(secrets)

  async function ofApp(hookKey: string): Promise<Sender | undefined> {
    const app = await findAppByKey(hookKey)
    if (!app || !(await isProofOfHost(db, app))) return undefined
    return { kind: 'app', provider: 'github', app, secret: secrets.open(app.sealed_secret, aboutAppSecret(hookKey)) }
  }

  async function ofHook(account: GitAccountRow, repositoryId: string, key: string): Promise<Sender | undefined> {
    const hook = await findHook(db, account.id, repositoryId)
    if (!hook || hook.sealed_secret === '') return undefined
    const { secret, key: itsKey } = openHook(hook)
    if (itsKey !== key) return undefined
    return { kind: 'hook', provider: account.provider, account, secret, isOfRepository: async (_tx, id) => id === repositoryId }
  }

  /** Webhooks from when an account had one secret; the next run registers them again. */
  function ofAccount(account: GitAccountRow): Sender | undefined {
    if (account.sealed_secret === '') return undefined
    const secret = secrets.open(account.sealed_secret, aboutAccountSecret(account.id))
    const isOfRepository = async (tx: Reader, id: string) => await hasSharedSecret(tx, account.id, id)
    return { kind: 'hook', provider: account.provider, account, secret, isOfRepository }
  }

  return async function senderOf({ account: accountId, repository, key, app }: Address): Promise<Sender | undefined> {
    if (app !== undefined) return await ofApp(app)
    const account = accountId === undefined ? undefined : await findGitAccount(db, accountId)
    if (!account) return undefined
    return repository === undefined ? ofAccount(account) : await ofHook(account, repository, key ?? '')
  }
}

export type SenderOf = ReturnType<typeof createSenders>

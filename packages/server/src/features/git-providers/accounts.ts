import type { GitAccount, NewGitAccount } from '@berth/contract'
import { recordAudit } from '../../domain/audit.ts'
import { type Again, type Caller, isStaff } from '../../domain/caller.ts'
import { ownershipNow, ownershipOf } from '../../domain/ownership.ts'
import type { GitAccountRow } from '../../domain/rows.ts'
import { parseBaseUrl } from '../../git-hosts/base-url.ts'
import type { GitHosts } from '../../git-hosts/hosts.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db } from '../../store/database.ts'
import { deleteApp, hasInstallations } from './github/store.ts'
import { asFieldError, type HostAccess, type InTurn } from './host-access.ts'
import { createSaveAccount } from './save-account.ts'
import { appsUsing, deleteAccount, getAccount, listAccounts, presentAccount } from './store.ts'

type Deps = {
  db: Db
  secrets: SecretBox
  visitHost: GitHosts
  access: HostAccess
  inTurn: InTurn
  farewell: (account: GitAccountRow) => Promise<void>
  renewHooks: (accountId: number) => Promise<void>
  now: () => Date
}

/** Connected accounts on git hosts: their owners, and whether they work. */
export function createGitAccounts(deps: Deps) {
  const { db, access, inTurn, now } = deps
  const save = createSaveAccount(deps)

  async function present(id: number): Promise<GitAccount> {
    const account = await getAccount(db, id)
    if (!account) throw new AppError('git_not_connected')
    return presentAccount(account)
  }

  async function create(caller: Caller, input: NewGitAccount, again: Again): Promise<GitAccount> {
    const { provider, token } = input
    const baseUrl = parseBaseUrl(provider, input.baseUrl)
    if (baseUrl === null)
      throw fieldError('invalid_request', 'baseUrl', 'must be the https:// address of the host, such as https://git.example.com')
    await ownershipOf(db, caller, input.projectId)
    const identity = { provider, baseUrl, token, via: 'token', privileged: isStaff(caller) } as const
    const user = await inTurn(caller, async () => await deps.visitHost(identity, async (host) => await host.whoAmI())).catch(
      (cause: unknown) => {
        throw asFieldError(cause)
      },
    )
    const id = await db.transaction(async (tx) => {
      const { caller: by, ...belonging } = await ownershipNow(tx, again, input.projectId)
      return await save(tx, by, { ...input, baseUrl, user, ...belonging })
    })
    await deps.renewHooks(id)
    return await present(id)
  }

  /** Checks the account with its host, and renews its webhooks. A problem is part of the result, not an error. */
  async function check(caller: Caller, account: GitAccountRow): Promise<GitAccount> {
    await inTurn(caller, async () => await access.check(account))
    const checked = await present(account.id)
    if (checked.status === 'ok') await deps.renewHooks(account.id)
    return checked
  }

  async function remove(account: GitAccountRow, options: { force: boolean }, again: Again): Promise<{ id: number }> {
    const at = now()
    const users = await appsUsing(db, account.id)
    if (users.length > 0 && !options.force) throw inUse(users.map(({ name }) => name))
    await deps.farewell(account)
    await db.transaction(async (tx) => {
      const { caller } = await again(tx)
      const apps = await appsUsing(tx, account.id)
      if (apps.length > 0 && !options.force) throw inUse(apps.map(({ name }) => name))
      if (!(await deleteAccount(tx, account.id))) throw new AppError('git_not_connected')
      const { github_app_id: appId } = account
      if (appId !== null && !(await hasInstallations(tx, appId))) await deleteApp(tx, appId) // its key is no longer needed
      const before = { provider: account.provider, baseUrl: account.base_url, name: account.name, apps: apps.map(({ id }) => id) }
      await recordAudit(tx, at, caller, { action: 'git_account.delete', subject: 'git_account', subjectId: account.id, before })
    })
    return { id: account.id }
  }

  return {
    list: async (caller: Caller) => (await listAccounts(db, isStaff(caller) ? undefined : caller.id)).map(presentAccount),
    create,
    check,
    remove,
  }
}

export type GitAccounts = ReturnType<typeof createGitAccounts>

const MOST_NAMES = 10

function inUse(names: readonly string[]): AppError {
  const shown = names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ', …' : '')
  const message = `Apps use this git account: ${shown}. Change their source first, or delete it with force; they can then no longer clone private repositories.`
  return new AppError('account_in_use', { message })
}

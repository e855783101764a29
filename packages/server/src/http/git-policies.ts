import type { ErrorCode } from '@berth/contract'
import { type Caller, isStaff } from '../domain/caller.ts'
import * as store from '../domain/rows.ts'
import { AppError, fieldError } from '../lib/app-error.ts'
import type { Reader } from '../store/database.ts'

type WithGitAccount = { caller: Caller; account: store.GitAccountRow }
export type GitSubjects = {
  'user of the git account': WithGitAccount
  'owner of the git account': WithGitAccount
  'reader of deliveries': { caller: Caller; of: { appId: number } | { accountId: number } }
  'member of the delivery': WithGitAccount & { delivery: store.GitDeliveryRow }
}
type Ids = Partial<Record<'id' | 'appId' | 'installationId' | 'accountId', number>>
type GitLoaders = { [P in keyof GitSubjects]: (caller: Caller, ids: Ids) => Promise<GitSubjects[P]> }

type Deps = {
  db: Reader
  mayRead: (caller: Caller, projectId: number) => Promise<boolean>
  /** An app that the caller can see. */
  appIdOf: (caller: Caller, appId: number) => Promise<number>
}

function found<Row>(row: Row | undefined, code: ErrorCode): Row {
  if (row === undefined) throw new AppError(code)
  return row
}

/** Who may use git accounts and see webhook deliveries. */
export function createGitPolicies(deps: Deps): GitLoaders {
  const { db } = deps

  async function isUserOf(caller: Caller, account: store.GitAccountRow): Promise<boolean> {
    return account.project_id === null ? account.user_id === caller.id : await store.isMember(db, account.project_id, caller.id)
  }

  /** Admins can see that an account exists, but cannot use it: the repositories it can read are not theirs. */
  async function loadGitAccount(caller: Caller, ids: Ids): Promise<WithGitAccount> {
    const account = found(await store.findGitAccount(db, ids.installationId ?? ids.accountId ?? ids.id ?? 0), 'git_not_connected')
    if (!(await isUserOf(caller, account))) throw new AppError(isStaff(caller) ? 'not_allowed' : 'git_not_connected')
    return { caller, account }
  }

  /** For users of its account, and for members of the projects of its apps. */
  async function loadDelivery(caller: Caller, ids: Ids): Promise<GitSubjects['member of the delivery']> {
    const delivery = found(await store.findGitDelivery(db, ids.id ?? 0), 'delivery_not_found')
    const account = found(await store.findGitAccount(db, delivery.account_id), 'delivery_not_found')
    const projects = await store.projectsOfDelivery(db, delivery.id)
    const isOpen = await Promise.all(projects.map(async (projectId) => await deps.mayRead(caller, projectId)))
    if (!isOpen.includes(true) && !(await isUserOf(caller, account))) throw new AppError('delivery_not_found')
    return { caller, account, delivery }
  }

  return {
    'user of the git account': loadGitAccount,
    'owner of the git account': async (caller, ids) => {
      const subject = await loadGitAccount(caller, ids)
      const { created_by: by, project_id: projectId } = subject.account
      if (by === caller.id || projectId === null) return subject
      if ((await store.findProject(db, projectId))?.owner_id !== caller.id) throw new AppError('not_allowed')
      return subject
    },
    'reader of deliveries': async (caller, ids) => {
      if (ids.appId !== undefined) return { caller, of: { appId: await deps.appIdOf(caller, ids.appId) } }
      if (ids.accountId === undefined) throw fieldError('invalid_request', 'appId', 'or accountId must be given')
      return { caller, of: { accountId: (await loadGitAccount(caller, { accountId: ids.accountId })).account.id } }
    },
    'member of the delivery': loadDelivery,
  }
}

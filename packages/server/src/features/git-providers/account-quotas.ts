import { isStaff } from '../../domain/caller.ts'
import type { Ownership } from '../../domain/ownership.ts'
import { findUser } from '../../domain/rows.ts'
import { QUOTAS, refuseBeyond } from '../../lib/quota.ts'
import type { Tx } from '../../store/database.ts'
import { countAppsAddedBy } from './github/store.ts'
import { countAccounts, countAccountsAddedBy } from './store.ts'

const ANYWHERE = 'in all projects together, one person'

export async function refuseMoreAccounts(tx: Tx, belonging: Ownership): Promise<void> {
  const words = { field: 'projectId', who: 'a person or a project', what: 'git accounts' }
  refuseBeyond(QUOTAS.gitAccounts, await countAccounts(tx, belonging), words)
}

/** Before a person connects an account, also one that another person connected before; its installations count for whoever connected an app. */
export async function refuseMoreAdded(tx: Tx, adder: number): Promise<void> {
  const most = (await isOfStaff(tx, adder)) ? QUOTAS.gitAccountsAddedByStaff : QUOTAS.gitAccountsAdded
  refuseBeyond(most, await countAccountsAddedBy(tx, adder), { field: 'projectId', who: ANYWHERE, what: 'git accounts' })
}

export async function refuseMoreGitHubApps(tx: Tx, adder: number): Promise<void> {
  const most = (await isOfStaff(tx, adder)) ? QUOTAS.gitHubAppsAddedByStaff : QUOTAS.gitHubAppsAdded
  refuseBeyond(most, await countAppsAddedBy(tx, adder), { field: 'projectId', who: ANYWHERE, what: 'GitHub Apps' })
}

async function isOfStaff(tx: Tx, userId: number): Promise<boolean> {
  const user = await findUser(tx, userId)
  return user !== undefined && isStaff(user)
}

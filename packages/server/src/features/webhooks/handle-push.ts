import { mayUseAccount } from '../../domain/account-use.ts'
import { kindOf } from '../../domain/app-kinds.ts'
import type { AppRow, GitAccountRow } from '../../domain/rows.ts'
import { cloneUrlOf, commitUrlOf } from '../../git-hosts/base-url.ts'
import type { Tx } from '../../store/database.ts'
import type { AddAutomatic } from '../deployments/request/automatic.ts'
import { newComparisons, whyIgnored, whyNotDeployed, withShare } from './judge.ts'
import { branchOf, type Push } from './push.ts'
import { isContinuedIn, isOlderThan } from './push-order.ts'
import { appsOfRepository, earlierPushes, linkApp, newestPush, renameRepository, updateDelivery } from './store.ts'

type PushToHandle = {
  id: number
  push: Push
  /** Whether the app may be deployed: somebody who redelivers by hand only deploys apps that they can see. */
  mayDeploy: (app: AppRow) => boolean
  /** An old delivery, repeated by hand: its repository name may be outdated, and it is expected to be late. */
  isAgain: boolean
  /** Who repeats it. */
  askedBy?: number
}
export type Verdict = { result: 'deployed' | 'ignored' | 'failed'; reason: string }
export type HandledPush = Verdict & { deployments: number[] }

/** Deploys every app that a push applies to, and stores the result. */
export function createHandlePush(deps: { addAutomatic: AddAutomatic }) {
  async function deploy(tx: Tx, app: AppRow, { push, askedBy }: PushToHandle): Promise<{ deploymentId: number } | { problem: string }> {
    const commit = { hash: push.after, message: push.message, author: push.author }
    return await deps.addAutomatic(tx, { app, trigger: 'webhook', commit, ...(askedBy !== undefined && { askedBy }) })
  }

  return async function handlePush(tx: Tx, account: GitAccountRow, asked: PushToHandle): Promise<HandledPush> {
    const { id, push, mayDeploy, isAgain } = asked
    const all = await appsOfRepository(tx, account, push.repositoryId)
    const usable = await Promise.all(all.map(async (app) => await mayUseAccount(tx, account, app)))
    const apps = all.filter((app, index) => kindOf(app).madeFrom !== 'template' && usable[index] === true && mayDeploy(app))
    const isLate = !isAgain && (await isLateFor(tx, account, { id, push }))
    if (!isAgain && !isLate && apps.some(({ git_repository }) => git_repository !== push.repository)) await follow(tx, account, push)
    const general = whyIgnored(push) ?? (isLate ? lateWords(push) : undefined)
    const deployments: number[] = []
    const reasons = new Set<string>()
    const comparisons = newComparisons()
    let hasFailed = false
    for (const [index, app] of apps.entries()) {
      const why = general ?? withShare(comparisons, apps.length - index, (share) => whyNotDeployed(app, push, share))
      const done =
        why === undefined ? await deploy(tx, isAgain ? app : { ...app, git_commit_url: commitUrl(account, push) }, asked) : undefined
      const reason = general === undefined ? (why ?? (done && 'problem' in done ? done.problem : '')) : ''
      if (done && 'deploymentId' in done) deployments.push(done.deploymentId)
      if (reason !== '') reasons.add(reason)
      hasFailed ||= done !== undefined && 'problem' in done
      await linkApp(tx, { deliveryId: id, appId: app.id, deploymentId: done && 'deploymentId' in done ? done.deploymentId : null, reason })
    }
    const none = apps.length === 0 ? `No app deploys from ${push.repository} with this account.` : ''
    const result = deployments.length > 0 ? 'deployed' : hasFailed ? 'failed' : 'ignored'
    const kept = general ?? none
    await updateDelivery(tx, id, { result, reason: kept, ...(!isAgain && { is_late: isLate ? 1 : 0 }) })
    return { result, reason: kept || [...reasons].join('; '), deployments }
  }
}

export type HandlePush = ReturnType<typeof createHandlePush>

function lateWords(push: Push): string {
  return `A newer push to ${branchOf(push) ?? push.ref} was delivered before this one.`
}

async function isLateFor(tx: Tx, account: GitAccountRow, { id, push }: Pick<PushToHandle, 'id' | 'push'>): Promise<boolean> {
  const branch = branchOf(push)
  if (branch === undefined || push.isDeleted) return false
  const of = { accountId: account.id, repositoryId: push.repositoryId, branch, besides: id }
  return isOlderThan(await newestPush(tx, of), push) ?? isContinuedIn(await earlierPushes(tx, of), push)
}

/** The repository was renamed on the host. */
async function follow(tx: Tx, account: GitAccountRow, { repositoryId, repository }: Push): Promise<void> {
  const names = {
    git_repository: repository,
    git_clone_url: cloneUrlOf(account.base_url, repository),
    git_commit_url: commitUrlOf(account.provider, account.base_url, repository),
  }
  await renameRepository(tx, { accountId: account.id, repositoryId }, names)
}

function commitUrl(account: GitAccountRow, { repository }: Push): string {
  return commitUrlOf(account.provider, account.base_url, repository)
}

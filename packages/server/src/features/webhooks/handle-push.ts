import { mayUseAccount } from '../../domain/account-use.ts'
import { kindOf } from '../../domain/app-kinds.ts'
import type { AppRow, GitAccountRow } from '../../domain/rows.ts'
import { cloneUrlOf, commitUrlOf } from '../../git-hosts/base-url.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Db, Tx } from '../../store/database.ts'
import type { AddAutomatic } from '../deployments/request/automatic.ts'
import { newComparisons, whyIgnored, whyNotDeployed, withShare } from './judge.ts'
import { branchOf, type Push } from './push.ts'
import { isContinuedIn, isOlderThan } from './push-order.ts'
import { appsOfRepository, countAppsAfter, renameRepository } from './repository-store.ts'
import { type Deployed, deployedSince, earlierPushes, holdDelivery, linkApp, newestPush, updateDelivery } from './store.ts'

type PushToHandle = {
  id: number
  push: Push
  /**
   * `again`: the host has sent a delivery once more that failed, or was not handled to the end. `by hand`: an old delivery, whose repository
   * name may be outdated, and which is expected to be late.
   */
  how: 'first' | 'again' | 'by hand'
  /** Which apps may be deployed: somebody who redelivers by hand only deploys apps that they can see. */
  mayDeploy?: (tx: Tx) => Promise<(app: AppRow) => boolean>
  /** Who repeats it by hand. */
  askedBy?: number
  /** In the transaction that ends it. */
  atEnd?: (tx: Tx, done: HandledPush) => Promise<void>
}
export type Verdict = { result: 'deployed' | 'ignored' | 'failed'; reason: string }
export type HandledPush = Verdict & { deployments: number[] }
/** The rest of a push that concerns more apps than one transaction handles. */
export type BegunPush = { left: number; goOn: () => Promise<HandledPush> }

/** What is known of a push so far. */
type Progress = PushToHandle & {
  account: GitAccountRow
  /** A newer push to the branch was delivered before it. */
  isLate: boolean
  /** Why it concerns no app. */
  general: string | undefined
  comparisons: ReturnType<typeof newComparisons>
  /** Nobody else can have handled any of its apps yet. */
  isNew: boolean
  /** The app that was handled last, and how many follow. */
  last: number
  left: number
  hasApps: boolean
  hasFailed: boolean
  deployments: number[]
  reasons: Set<string>
}

/** A person can have a thousand apps of one repository, and everybody else waits for a transaction. */
const APPS_AT_ONCE = 10
const UNFINISHED = 'Berth has not come to the end of this push. If it stays like this, deliver it again.'

type Deps = { db: Pick<Db, 'transaction'>; addAutomatic: AddAutomatic; now: () => Date }

/**
 * Deploys every app that a push applies to, a few in each transaction, and stores the result. Until the end the delivery is one that failed,
 * so if this process dies the host can send it once more, and only the apps that are left are deployed.
 */
export function createHandlePush({ db, addAutomatic, now }: Deps) {
  const handleApp = createHandleApp(addAutomatic)

  /** The next few apps. The result if these were the last ones. */
  async function handleNext(tx: Tx, progress: Progress): Promise<HandledPush | undefined> {
    const { account, id, push, how, mayDeploy } = progress
    if (!progress.isNew && !(await holdDelivery(tx, id))) throw new AppError('delivery_not_found')
    const of = { accountId: account.id, repositoryId: push.repositoryId }
    const found = await appsOfRepository(tx, of, { after: progress.last, most: APPS_AT_ONCE })
    progress.last = found.at(-1)?.id ?? progress.last
    const left = found.length < APPS_AT_ONCE ? 0 : await countAppsAfter(tx, of, progress.last)
    progress.left = left
    if (how !== 'by hand' && !progress.isLate) await follow(tx, account, { push, apps: found, at: now() })
    const isMeant = mayDeploy === undefined ? () => true : await mayDeploy(tx)
    const usable = await Promise.all(found.map(async (app) => await mayUseAccount(tx, account, app)))
    const apps = found.filter((app, index) => kindOf(app).madeFrom !== 'template' && usable[index] === true && isMeant(app))
    const before = progress.isNew || how === 'by hand' ? [] : await deployedSince(tx, id, apps.map(idOf))
    for (const [index, app] of apps.entries())
      await handleApp(tx, { app, progress, before: before.filter(({ appId }) => appId === app.id), appsLeft: apps.length - index + left })
    progress.hasApps ||= apps.length > 0
    progress.isNew = false
    if (left === 0) return await settle(tx, progress)
    if (how !== 'by hand') await updateDelivery(tx, id, { result: 'failed', reason: UNFINISHED, is_late: progress.isLate ? 1 : 0 })
    return undefined
  }

  async function goOn(progress: Progress): Promise<HandledPush> {
    let done: HandledPush | undefined
    while (done === undefined) done = await db.transaction(async (tx) => await handleNext(tx, progress))
    return done
  }

  return async function handlePush(tx: Tx, account: GitAccountRow, given: PushToHandle): Promise<HandledPush | BegunPush> {
    const { push, how } = given
    const isLate = how !== 'by hand' && (await isLateFor(tx, account, given))
    // some apps of one that is delivered again may have been deployed in time
    const general = whyIgnored(push) ?? (isLate && how === 'first' ? lateWords(push) : undefined)
    const nothing = { last: 0, left: 0, hasApps: false, hasFailed: false, deployments: [], reasons: new Set<string>() }
    const progress = { ...given, account, isLate, general, comparisons: newComparisons(), isNew: how === 'first', ...nothing }
    const done = await handleNext(tx, progress)
    return done ?? { left: progress.left, goOn: async () => await goOn(progress) }
  }
}

export type HandlePush = ReturnType<typeof createHandlePush>

type AppToHandle = { app: AppRow; progress: Progress; before: readonly Deployed[]; appsLeft: number }

function createHandleApp(addAutomatic: AddAutomatic) {
  async function deploy(
    tx: Tx,
    app: AppRow,
    { account, push, how, askedBy }: Progress,
  ): Promise<{ deploymentId: number } | { problem: string }> {
    const commit = { hash: push.after, message: push.message, author: push.author }
    const named = how === 'by hand' ? app : { ...app, git_commit_url: commitUrl(account, push) }
    return await addAutomatic(tx, { app: named, trigger: 'webhook', commit, ...(askedBy !== undefined && { askedBy }) })
  }

  return async function handleApp(tx: Tx, { app, progress, before, appsLeft }: AppToHandle): Promise<void> {
    const { id, push, isLate, general, comparisons } = progress
    const known = before.find(({ deliveryId }) => deliveryId === id)
    if (known) return void progress.deployments.push(known.deploymentId)
    const isOvertaken = isLate || before.length > 0 // by a push that came while the apps before this one were deployed
    const why = general ?? (isOvertaken ? lateWords(push) : withShare(comparisons, appsLeft, (share) => whyNotDeployed(app, push, share)))
    const done = why === undefined ? await deploy(tx, app, progress) : undefined
    const reason = general === undefined ? (why ?? (done && 'problem' in done ? done.problem : '')) : ''
    const deploymentId = done && 'deploymentId' in done ? done.deploymentId : null
    if (deploymentId !== null) progress.deployments.push(deploymentId)
    if (reason !== '') progress.reasons.add(reason)
    progress.hasFailed ||= done !== undefined && 'problem' in done
    await linkApp(tx, { deliveryId: id, appId: app.id, deploymentId, reason })
  }
}

async function settle(tx: Tx, progress: Progress): Promise<HandledPush> {
  const { id, push, how, isLate, general, hasApps, hasFailed, deployments, reasons } = progress
  const none = hasApps ? '' : `No app deploys from ${push.repository} with this account.`
  const result = deployments.length > 0 ? 'deployed' : hasFailed ? 'failed' : 'ignored'
  const kept = general ?? none
  await updateDelivery(tx, id, { result, reason: kept, ...(how !== 'by hand' && { is_late: isLate ? 1 : 0 }) })
  const handled: HandledPush = { result, reason: kept || [...reasons].join('; '), deployments }
  await progress.atEnd?.(tx, handled)
  return handled
}

function idOf({ id }: AppRow): number {
  return id
}

function lateWords(push: Push): string {
  return `A newer push to ${branchOf(push) ?? push.ref} was delivered before this one.`
}

async function isLateFor(tx: Tx, account: GitAccountRow, { id, push }: Pick<PushToHandle, 'id' | 'push'>): Promise<boolean> {
  const branch = branchOf(push)
  if (branch === undefined || push.isDeleted) return false
  const of = { accountId: account.id, repositoryId: push.repositoryId, branch, besides: id }
  return isOlderThan(await newestPush(tx, of), push) ?? isContinuedIn(await earlierPushes(tx, of), push)
}

type Following = { push: Push; apps: readonly AppRow[]; at: Date }

/** The repository was renamed on the host. */
async function follow(tx: Tx, account: GitAccountRow, { push: { repositoryId, repository }, apps, at }: Following): Promise<void> {
  const behind = apps.filter(({ git_repository }) => git_repository !== repository)
  if (behind.length === 0) return
  const names = {
    git_repository: repository,
    git_clone_url: cloneUrlOf(account.base_url, repository),
    git_commit_url: commitUrlOf(account.provider, account.base_url, repository),
  }
  await renameRepository(tx, { accountId: account.id, repositoryId, apps: behind }, { names, at })
}

function commitUrl(account: GitAccountRow, { repository }: Push): string {
  return commitUrlOf(account.provider, account.base_url, repository)
}

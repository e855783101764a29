import { gzipSync } from 'node:zlib'
import { kindOf } from '../../domain/app-kinds.ts'
import type { AppRow, GitAccountRow } from '../../domain/rows.ts'
import { cloneUrlOf, commitUrlOf } from '../../git-hosts/base-url.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Db, Tx } from '../../store/database.ts'
import type { AddAutomatic } from '../deployments/automatic.ts'
import { deliveryIdOf, eventOf, isPush, jsonOf, type RawDelivery, shownHeaders } from './delivery.ts'
import { createDeliveryRate } from './delivery-rate.ts'
import { whyIgnored, whyNotDeployed } from './judge.ts'
import { branchOf, type Push } from './push.ts'
import { readPush } from './read-push.ts'
import { isProven, proofOf } from './signature.ts'
import {
  appsOfRepository,
  deploymentsOf,
  findDeliveryBy,
  insertDelivery,
  keepNewest,
  linkApp,
  renameRepository,
  updateDelivery,
} from './store.ts'

type Deps = {
  db: Db
  secretOf: (account: GitAccountRow) => string
  addAutomatic: AddAutomatic
  now: () => Date
}
type Acting = {
  id: number
  push: Push
  mayDeploy: (app: AppRow) => boolean
  /** An old one, by hand: what it calls the repository may be out of date. */
  isAgain: boolean
}
type Verdict = { result: 'deployed' | 'ignored' | 'failed'; reason: string }
export type DeliveryAnswer = Verdict & { delivery: string; event: string; deployments: number[] }

const MOST_KEPT_BYTES = 1024 * 1024
/** Of one account; the oldest go first. */
const KEPT = { rows: 2000, bytes: 64 * 1024 * 1024 }
const TOO_MANY = 'This git account sends more than 120 deliveries a minute; send it again in a minute.'

/** What a host tells us. Nothing is written before the signature is right, and everything before it is answered. */
export function createReceive(deps: Deps) {
  const { db, now } = deps
  const act = createAct(deps)
  const isWithinRate = createDeliveryRate(now)

  function verify(account: GitAccountRow, raw: RawDelivery): void {
    const proof = proofOf(account.provider, raw.headers)
    if (proof === undefined || !isProven(proof, deps.secretOf(account), raw.body)) throw new AppError('webhook_not_verified')
  }

  async function receive(account: GitAccountRow, raw: RawDelivery): Promise<DeliveryAnswer> {
    verify(account, raw)
    if (!isWithinRate(account.id)) throw new AppError('server_busy', { message: TOO_MANY })
    const event = eventOf(account.provider, raw)
    const delivery = deliveryIdOf(account.provider, raw)
    const push = isPush(account.provider, event) ? readPush(account.provider, jsonOf(raw)) : undefined
    const body = raw.body.length <= MOST_KEPT_BYTES ? gzipSync(raw.body) : Buffer.alloc(0)
    const row = {
      account_id: account.id,
      delivery,
      provider: account.provider,
      event,
      repository: push?.repository ?? '',
      branch: (push && branchOf(push)) ?? '',
      commit_hash: push?.isDeleted === false ? push.after : '',
      headers: JSON.stringify(shownHeaders(raw)),
      push: push === undefined ? '' : JSON.stringify(push),
      body,
      received_at: now().toISOString(),
      ...unread(event, push),
    }
    const answer = await db.transaction(async (tx) => {
      const id = await insertDelivery(tx, row)
      if (id === undefined) return undefined
      await keepNewest(tx, account.id, KEPT)
      return push === undefined
        ? { ...unread(event, push), deployments: [] }
        : await act(tx, account, { id, push, mayDeploy: () => true, isAgain: false })
    })
    return { delivery, event, ...(answer ?? (await earlier(account, delivery))) }
  }

  /** What was answered the first time. */
  async function earlier(account: GitAccountRow, delivery: string): Promise<Verdict & { deployments: number[] }> {
    const known = await findDeliveryBy(db, account.id, delivery)
    if (!known) throw new AppError('webhook_not_verified') // the account went in this very moment
    return { result: known.result, reason: known.reason, deployments: (await deploymentsOf(db, [known.id])).get(known.id) ?? [] }
  }

  return { receive, act }
}

function createAct(deps: Pick<Deps, 'addAutomatic'>) {
  async function deploy(tx: Tx, app: AppRow, push: Push): Promise<{ deploymentId: number } | { problem: string }> {
    const commit = { hash: push.after, message: push.message, author: push.author }
    return await deps.addAutomatic(tx, { app, trigger: 'webhook', commit })
  }

  /** Deploys every app that the push is for, and keeps the verdict. */
  return async function act(
    tx: Tx,
    account: GitAccountRow,
    { id, push, mayDeploy, isAgain }: Acting,
  ): Promise<Verdict & { deployments: number[] }> {
    const apps = (await appsOfRepository(tx, account, push.repositoryId)).filter((app) => kindOf(app).madeFrom !== 'template')
    if (!isAgain && apps.some(({ git_repository }) => git_repository !== push.repository)) await follow(tx, account, push)
    const general = whyIgnored(push)
    const deployments: number[] = []
    const reasons: string[] = []
    let hasFailed = false
    for (const app of apps) {
      const why = general ?? (mayDeploy(app) ? whyNotDeployed(app, push) : 'it is in a project that is not yours')
      const done =
        why === undefined ? await deploy(tx, isAgain ? app : { ...app, git_commit_url: commitUrl(account, push) }, push) : undefined
      if (done && 'deploymentId' in done) deployments.push(done.deploymentId)
      else if (general === undefined) reasons.push(`${app.name}: ${done?.problem ?? why ?? ''}`)
      hasFailed ||= done !== undefined && 'problem' in done
      await linkApp(tx, { deliveryId: id, appId: app.id, deploymentId: done && 'deploymentId' in done ? done.deploymentId : null })
    }
    const none = apps.length === 0 ? `No application deploys from ${push.repository} with this account.` : ''
    const reason = (general ?? reasons.join('; ')) || none
    const verdict: Verdict = { result: deployments.length > 0 ? 'deployed' : hasFailed ? 'failed' : 'ignored', reason }
    await updateDelivery(tx, id, verdict)
    return { ...verdict, deployments }
  }
}

/** The repository has another name at the host since. */
async function follow(tx: Tx, account: GitAccountRow, { repositoryId, repository }: Push): Promise<void> {
  const names = {
    git_repository: repository,
    git_clone_url: cloneUrlOf(account.base_url, repository),
    git_commit_url: commitUrlOf(account.provider, account.base_url, repository),
  }
  await renameRepository(tx, { accountId: account.id, repositoryId }, names)
}

export type Receive = ReturnType<typeof createReceive>

function commitUrl(account: GitAccountRow, { repository }: Push): string {
  return commitUrlOf(account.provider, account.base_url, repository)
}

function unread(event: string, push: Push | undefined): Verdict {
  if (push !== undefined) return { result: 'ignored', reason: '' }
  const isPing = event === 'ping'
  const what = event === '' ? 'This delivery names no event' : `Berth does nothing about the event "${event}"`
  return { result: 'ignored', reason: isPing ? 'The webhook works.' : `${what}; pushes deploy.` }
}

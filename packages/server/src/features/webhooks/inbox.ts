import { gunzipSync } from 'node:zlib'
import type { DeliveryDetails, DeliverySummary } from '@berth/contract'
import { recordAudit } from '../../domain/audit.ts'
import { type Caller, isStaff } from '../../domain/caller.ts'
import type { AppRow, GitAccountRow, GitDeliveryRow } from '../../domain/rows.ts'
import { AppError } from '../../lib/app-error.ts'
import { limited } from '../../lib/limited.ts'
import type { Limiter } from '../../lib/limiter.ts'
import type { Db, Tx } from '../../store/database.ts'
import type { HandledPush, HandlePush } from './handle-push.ts'
import { type DeliveryAnswer, deploymentsIn } from './receive.ts'
import { appsOfDeliveries, type DeliveryApp, type ListedDelivery, listDeliveries, parsedPush, projectsOf } from './store.ts'

const DEFAULT_LIMIT = 50
const BUSY = 'Too many deliveries are being repeated. Try again in a few seconds.'

type Of = { appId: number } | { accountId: number }

/** Deliveries and their results. Apps are only named to people who can see them. */
export function createInbox(deps: { db: Db; act: HandlePush; limiter: Limiter; now: () => Date }) {
  const { db } = deps

  async function seenBy(caller: Caller, ids: readonly number[]): Promise<(id: number) => DeliveryApp[]> {
    const found = ids.length === 0 ? new Map<number, DeliveryApp[]>() : await appsOfDeliveries(db, ids)
    const projects = new Set(await projectsOf(db, caller.id))
    return (id) => (found.get(id) ?? []).filter(({ projectId }) => isStaff(caller) || projects.has(projectId))
  }

  async function list(caller: Caller, of: Of, page: { limit?: number; before?: number }): Promise<DeliverySummary[]> {
    const rows = await listDeliveries(db, of, { limit: page.limit ?? DEFAULT_LIMIT, before: page.before })
    const appsOf = await seenBy(
      caller,
      rows.map(({ id }) => id),
    )
    return rows.map((row) => ('appId' in of ? presentFor(of.appId, row, appsOf(row.id)) : present(row, appsOf(row.id))))
  }

  async function get(caller: Caller, row: GitDeliveryRow): Promise<DeliveryDetails> {
    const appsOf = await seenBy(caller, [row.id])
    const headers = JSON.parse(row.headers) as Record<string, string> // written by us
    const body = row.body.length === 0 ? '' : gunzipSync(row.body).toString('utf8')
    return { ...present(row, appsOf(row.id)), headers, body }
  }

  /** Judged as if it arrived now: the branch, a setting or the watched paths may have changed since. */
  async function redeliver(caller: Caller, account: GitAccountRow, row: GitDeliveryRow): Promise<DeliveryAnswer> {
    const { id, delivery, event } = row
    const push = parsedPush(row.push)
    if (push === undefined)
      throw new AppError('invalid_request', { message: 'id: this delivery is not a push, so there is nothing to repeat.' })
    const mayDeploy = async (tx: Tx) => {
      const projects = new Set(await projectsOf(tx, caller.id))
      return (app: AppRow) => isStaff(caller) || projects.has(app.project_id)
    }
    const atEnd = async (tx: Tx, done: HandledPush) => {
      const after = { deliveryId: id, result: done.result, deployments: done.deployments }
      await recordAudit(tx, deps.now(), caller, { action: 'delivery.redeliver', subject: 'git_account', subjectId: account.id, after })
    }
    const judge = async () => {
      const begun = await db.transaction(
        async (tx) => await deps.act(tx, account, { id, push, how: 'by hand', mayDeploy, askedBy: caller.id, atEnd }),
      )
      return 'goOn' in begun ? await begun.goOn() : begun
    }
    const { result, reason, deployments } = await limited(deps.limiter, caller, BUSY, judge)
    const apps = (await seenBy(caller, [id]))(id)
    return { delivery, event, result, reason: wordsOf(apps) || reason, deployments }
  }

  return { list, get, redeliver }
}

export type Inbox = ReturnType<typeof createInbox>

function wordsOf(apps: readonly DeliveryApp[]): string {
  return apps
    .filter(({ reason }) => reason !== '')
    .map(({ appName, reason }) => `${appName}: ${reason}`)
    .join('; ')
}

function present(row: ListedDelivery, apps: readonly DeliveryApp[]): DeliverySummary {
  return {
    id: row.id,
    delivery: row.delivery,
    provider: row.provider,
    event: row.event,
    repository: row.repository,
    branch: row.branch,
    commit: row.commit_hash,
    result: row.result,
    reason: row.reason || wordsOf(apps),
    deployments: deploymentsIn(apps),
    receivedAt: row.received_at,
  }
}

/** What came of a delivery for one app: it may have deployed another one. */
function presentFor(appId: number, row: ListedDelivery, apps: readonly DeliveryApp[]): DeliverySummary {
  const whole = present(row, apps)
  const own = apps.filter((app) => app.appId === appId)
  const reason = row.reason || wordsOf(own)
  return { ...whole, reason, result: row.result === 'deployed' && reason !== '' ? 'ignored' : row.result }
}

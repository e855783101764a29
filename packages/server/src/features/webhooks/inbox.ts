import { gunzipSync } from 'node:zlib'
import type { DeliveryDetails, DeliverySummary } from '@berth/contract'
import { recordAudit } from '../../domain/audit.ts'
import { type Caller, isStaff } from '../../domain/caller.ts'
import type { AppRow, GitAccountRow, GitDeliveryRow } from '../../domain/rows.ts'
import { AppError } from '../../lib/app-error.ts'
import { limited } from '../../lib/limited.ts'
import type { Limiter } from '../../lib/limiter.ts'
import type { Db } from '../../store/database.ts'
import type { Push } from './push.ts'
import type { DeliveryAnswer, Receive } from './receive.ts'
import { deploymentsOf, type ListedDelivery, listDeliveries, projectsOf } from './store.ts'

const DEFAULT_LIMIT = 50
const BUSY = 'Too many deliveries are being delivered again at this moment; try again in a few seconds.'

type Of = { appId: number } | { accountId: number }

/** What hosts have told us, and what came of it. */
export function createInbox(deps: { db: Db; act: Receive['act']; limiter: Limiter; now: () => Date }) {
  const { db } = deps

  async function list(of: Of, page: { limit?: number; before?: number }): Promise<DeliverySummary[]> {
    const rows = await listDeliveries(db, of, { limit: page.limit ?? DEFAULT_LIMIT, before: page.before })
    const deployments = await deploymentsOf(
      db,
      rows.map(({ id }) => id),
    )
    return rows.map((row) => present(row, deployments.get(row.id) ?? []))
  }

  async function get(row: GitDeliveryRow): Promise<DeliveryDetails> {
    const deployments = (await deploymentsOf(db, [row.id])).get(row.id) ?? []
    const headers = JSON.parse(row.headers) as Record<string, string> // written by us
    const body = row.body.length === 0 ? '' : gunzipSync(row.body).toString('utf8')
    return { ...present(row, deployments), headers, body }
  }

  /** Judged as if it came now: another branch, a switch or a path may have changed since. */
  async function redeliver(caller: Caller, account: GitAccountRow, row: GitDeliveryRow): Promise<DeliveryAnswer> {
    const { id, delivery, event } = row
    if (row.push === '')
      throw new AppError('invalid_request', { message: 'id: this delivery is no push, so there is nothing to do again.' })
    const push = JSON.parse(row.push) as Push // written by us
    const judge = async () =>
      await db.transaction(async (tx) => {
        const projects = new Set(await projectsOf(tx, caller.id))
        const mayDeploy = (app: AppRow) => isStaff(caller) || projects.has(app.project_id)
        const done = await deps.act(tx, account, { id, push, mayDeploy, isAgain: true })
        const after = { deliveryId: id, result: done.result, deployments: done.deployments }
        await recordAudit(tx, deps.now(), caller, { action: 'delivery.redeliver', subject: 'git_account', subjectId: account.id, after })
        return done
      })
    const verdict = await limited(deps.limiter, caller, BUSY, judge)
    return { delivery, event, ...verdict }
  }

  return { list, get, redeliver }
}

export type Inbox = ReturnType<typeof createInbox>

function present(row: ListedDelivery, deployments: number[]): DeliverySummary {
  return {
    id: row.id,
    delivery: row.delivery,
    provider: row.provider,
    event: row.event,
    repository: row.repository,
    branch: row.branch,
    commit: row.commit_hash,
    result: row.result,
    reason: row.reason,
    deployments,
    receivedAt: row.received_at,
  }
}

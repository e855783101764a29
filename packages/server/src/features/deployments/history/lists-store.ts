import type { Deployment, DeploymentsQuery } from '@berth/contract'
import { commitLink } from '../../../domain/commit-link.ts'
import { UNFINISHED } from '../../../domain/lifecycle.ts'
import type { DeploymentRow } from '../../../domain/rows.ts'
import type { Reader } from '../../../store/database.ts'
import { contains } from '../../../store/dialect.ts'
import { storedSteps } from '../run/steps.ts'
import { canRollBackTo } from '../store.ts'

/** The columns a list needs. The sealed settings can be a megabyte each, and would not fit into memory for a long list. */
const SHOWN = [
  'deployment.id',
  'deployment.app_id',
  'deployment.number',
  'deployment.commit_hash',
  'deployment.commit_message',
  'deployment.commit_author',
  'deployment.image_ref',
  'deployment.status',
  'deployment.stage',
  'deployment.progress',
  'deployment.duration',
  'deployment.is_active',
  'deployment.rolled_back_from',
  'deployment.image',
  'deployment.main_service',
  'deployment.error_message',
  'deployment.trigger',
  'deployment.triggered_by',
  'deployment.steps',
  'deployment.started_at',
  'deployment.finished_at',
  'deployment.created_at',
  'deployment.updated_at',
] as const
type ShownDeployment = Omit<
  DeploymentRow,
  'sealed_config' | 'attempts' | 'release_of' | 'failure' | 'processes' | 'without_cache' | 'release_run'
>

export function presentDeployment(row: ShownDeployment): Deployment {
  return {
    id: row.id,
    app_id: row.app_id,
    deployment_number: row.number,
    commit_hash: row.commit_hash,
    commit_message: row.commit_message,
    commit_author: row.commit_author,
    commit_url: row.commit_url === '' || row.commit_hash === '' ? '' : row.commit_url + row.commit_hash,
    image_ref: row.image_ref,
    status: row.status,
    stage: row.stage,
    progress: row.progress,
    duration: row.duration,
    is_active: row.is_active === 1,
    ...(row.rolled_back_from !== null && { rolled_back_from: row.rolled_back_from }),
    can_roll_back: canRollBackTo(row),
    error_message: row.error_message,
    trigger: row.trigger,
    triggered_by: row.triggered_by,
    started_at: row.started_at,
    finished_at: row.finished_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    steps: storedSteps(row.steps),
  }
}

/** Newest first. The next page starts before the last id of the previous one. */
export async function listDeployments(db: Reader, wanted: DeploymentsQuery): Promise<ShownDeployment[]> {
  let query = db
    .selectFrom('deployment')
    .select(SHOWN)
    .select(commitLink.as('commit_url'))
    .where('app_id', '=', wanted.appId)
    .orderBy('number', 'desc')
  const { before, status, search, isActive, limit } = wanted
  if (before !== undefined) query = query.where('id', '<', before)
  if (status !== undefined) query = query.where('status', '=', status)
  if (isActive !== undefined) query = query.where('is_active', '=', isActive ? 1 : 0)
  if (search !== undefined && search.trim() !== '') {
    const text = search.trim()
    query = query.where((eb) =>
      eb.or((['commit_message', 'commit_author', 'commit_hash'] as const).map((column) => contains(db, eb.ref(column), text))),
    )
  }
  return await (limit === undefined ? query : query.limit(limit)).execute()
}

/** The last deployment of each app. Without a user: of all apps, for callers who can see everything. */
export async function listNewest(db: Reader, userId: number | undefined): Promise<ShownDeployment[]> {
  const newest = db
    .selectFrom('deployment')
    .select((eb) => eb.fn.max('deployment.id').as('id'))
    .groupBy('deployment.app_id')
  const visible =
    userId === undefined
      ? newest
      : newest
          .innerJoin('app', 'app.id', 'deployment.app_id')
          .innerJoin('project_member', 'project_member.project_id', 'app.project_id')
          .where('project_member.user_id', '=', userId)
  return await db.selectFrom('deployment').select(SHOWN).select(commitLink.as('commit_url')).where('deployment.id', 'in', visible).execute()
}

/** The ids of all waiting deployments, in order of request. */
export async function listPending(db: Reader): Promise<number[]> {
  const rows = await db
    .selectFrom('deployment')
    .select('id')
    .where('finished_at', 'is', null)
    .where('status', '=', 'pending')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Without a user: of all apps, for callers who can see everything. */
export async function listUnfinished(db: Reader, userId: number | undefined): Promise<ShownDeployment[]> {
  let query = db
    .selectFrom('deployment')
    .select(SHOWN)
    .select(commitLink.as('commit_url'))
    .where('deployment.finished_at', 'is', null)
    .where('deployment.status', 'in', UNFINISHED)
    .orderBy('deployment.id')
  if (userId !== undefined) {
    query = query
      .innerJoin('app', 'app.id', 'deployment.app_id')
      .innerJoin('project_member', 'project_member.project_id', 'app.project_id')
      .where('project_member.user_id', '=', userId)
  }
  return await query.execute()
}

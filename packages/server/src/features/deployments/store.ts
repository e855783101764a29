import type { DeploymentStatus, Trigger } from '@berth/contract'
import type { Insertable, Updateable } from 'kysely'
import { artifactOf, columnsOf } from '../../domain/artifact.ts'
import { canMove } from '../../domain/lifecycle.ts'
import type { AppRow, DeploymentRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { DeploymentTable } from '../../store/schema.ts'
import { type Placeholders, statement } from '../../store/statement.ts'
import { queueCommitStatus } from './commit-status-store.ts'
import { deleteReleaseFiles } from './release/store.ts'
import { storedSteps } from './run/steps.ts'

/** The deployment was already ended elsewhere: cancelled, deleted, or swept. */
export class DeploymentMovedOn extends Error {
  override readonly name = 'DeploymentMovedOn'
}

/** A release that is not live, and whose artifact was kept. */
export function canRollBackTo(row: Pick<DeploymentRow, 'status' | 'is_active' | 'image' | 'main_service'>): boolean {
  return (row.status === 'success' || row.status === 'rolled_back') && row.is_active === 0 && artifactOf(row) !== undefined
}

type NewDeployment = {
  app: AppRow
  trigger: Trigger
  triggeredBy: number | null
  commit: { hash: string; message: string; author: string }
  rollback?: { from: number; to: DeploymentRow }
  withoutCache?: boolean
  at: Date
}

const findLastNumber = statement((tx: Tx, { appId }: Placeholders<{ appId: number }>) =>
  tx
    .selectFrom('deployment')
    .select((eb) => eb.fn.max('number').as('number'))
    .where('app_id', '=', appId),
)
const insertRow = statement((tx: Tx, row: Placeholders<Insertable<DeploymentTable>>) =>
  tx.insertInto('deployment').values(row).returningAll(),
)

export async function insertDeployment(tx: Tx, wanted: NewDeployment): Promise<DeploymentRow> {
  const { app, commit, rollback } = wanted
  const [last] = await findLastNumber(tx, { appId: app.id })
  const time = wanted.at.toISOString()
  const [row] = await insertRow(tx, {
    app_id: app.id,
    number: (last?.number ?? 0) + 1,
    status: 'pending',
    stage: '',
    progress: 0,
    commit_hash: commit.hash,
    commit_message: commit.message,
    commit_author: commit.author,
    commit_url: app.git_commit_url,
    error_message: '',
    trigger: wanted.trigger,
    triggered_by: wanted.triggeredBy,
    is_active: 0,
    rolled_back_from: rollback?.from ?? null,
    release_of: rollback?.to.id ?? null,
    ...columnsOf(rollback && artifactOf(rollback.to)),
    processes: rollback?.to.processes ?? '[]',
    sealed_config: rollback?.to.sealed_config ?? '',
    image_ref: rollback?.to.image_ref ?? '',
    without_cache: wanted.withoutCache === true ? 1 : 0,
    attempts: 0,
    started_at: null,
    finished_at: null,
    duration: 0,
    created_at: time,
    updated_at: time,
  })
  if (!row) throw new Error('a deployment was not inserted')
  await queueCommitStatus(tx, row, wanted.at)
  await appendEvent(tx, wanted.at, { type: 'deployment.created', data: { projectId: app.project_id, appId: app.id, deploymentId: row.id } })
  return row
}

type Move = {
  id: number
  from: DeploymentStatus
  to: DeploymentStatus
  at: Date
  change?: Omit<Updateable<DeploymentTable>, 'status' | 'id'>
}

/** Its settings are no longer needed: a retry is a new deployment with the settings of that time. */
function isNeverStartedAgain(status: DeploymentStatus): boolean {
  return status === 'failed' || status === 'stopped'
}

type Change = Omit<Updateable<DeploymentTable>, 'id'>

const changeIf = statement((tx: Tx, { of, was, ...change }: Placeholders<Change & { of: number; was: DeploymentStatus }>) =>
  tx
    .updateTable('deployment')
    .set(change)
    .where('id', '=', of)
    .where('status', '=', was) // compare-and-set: of two workers, one loses here
    .returningAll(),
)

/** The only function that writes `deployment.status`. */
export async function moveDeployment(tx: Tx, move: Move): Promise<DeploymentRow> {
  const { id, from, to, at } = move
  if (!canMove(from, to)) throw new Error(`illegal move ${from} -> ${to} (deployment ${id})`)
  const settings = isNeverStartedAgain(to) && { sealed_config: '' }
  const [row] = await changeIf(tx, { ...move.change, ...settings, status: to, updated_at: at.toISOString(), of: id, was: from })
  if (!row) throw new DeploymentMovedOn(`deployment ${id} is no longer ${from}`)
  if (isNeverStartedAgain(to)) await deleteReleaseFiles(tx, id)
  await queueCommitStatus(tx, row, at)
  await reportDeployment(tx, row, at)
  return row
}

/** Changes besides the status: the stage, the progress, the commit. They only apply if the status is the expected one. */
export async function noteDeployment(
  tx: Tx,
  note: { id: number; status: DeploymentStatus; at: Date; change: Omit<Updateable<DeploymentTable>, 'status' | 'id'> },
): Promise<DeploymentRow> {
  const [row] = await changeIf(tx, { ...note.change, updated_at: note.at.toISOString(), of: note.id, was: note.status })
  if (!row) throw new DeploymentMovedOn(`deployment ${note.id} is no longer ${note.status}`)
  if (note.change.commit_hash !== undefined) await queueCommitStatus(tx, row, note.at)
  await reportDeployment(tx, row, note.at)
  return row
}

const findProjectOf = statement((tx: Tx, { appId }: Placeholders<{ appId: number }>) =>
  tx.selectFrom('app').select('project_id').where('id', '=', appId),
)

async function reportDeployment(tx: Tx, row: DeploymentRow, at: Date): Promise<void> {
  const [app] = await findProjectOf(tx, { appId: row.app_id })
  if (!app) throw new Error(`deployment ${row.id} has no app`)
  await appendEvent(tx, at, {
    type: 'deployment.status_changed',
    data: {
      projectId: app.project_id,
      appId: row.app_id,
      deploymentId: row.id,
      status: row.status,
      stage: row.stage,
      step: storedSteps(row.steps).at(-1)?.name ?? '',
      progress: row.progress,
      errorMessage: row.error_message,
    },
  })
}

/** The live release, if any. */
export async function findActive(db: Reader, appId: number): Promise<DeploymentRow | undefined> {
  return await db.selectFrom('deployment').selectAll().where('app_id', '=', appId).where('is_active', '=', 1).executeTakeFirst()
}

export async function isNewest(db: Reader, { id, app_id }: Pick<DeploymentRow, 'id' | 'app_id'>): Promise<boolean> {
  const newer = await db.selectFrom('deployment').select('id').where('app_id', '=', app_id).where('id', '>', id).executeTakeFirst()
  return newer === undefined
}

export async function deactivate(tx: Tx, appId: number): Promise<void> {
  await tx.updateTable('deployment').set({ is_active: 0 }).where('app_id', '=', appId).where('is_active', '=', 1).execute()
}

/** The hashes of deployed commits of an app that start with a prefix. Two are enough to know that it is not unique. */
export async function listCommits(db: Reader, of: { appId: number; prefix: string }): Promise<string[]> {
  const found = db.selectFrom('deployment').select('commit_hash').distinct().where('app_id', '=', of.appId)
  const rows = await found.where('commit_hash', 'like', `${of.prefix}%`).limit(2).execute()
  return rows.map(({ commit_hash }) => commit_hash)
}

const findUnfinished = statement((db: Reader, { appId }: Placeholders<{ appId: number }>) =>
  db.selectFrom('deployment').select(['id', 'status', 'trigger']).where('app_id', '=', appId).where('finished_at', 'is', null),
)

/** The deployments of an app that are waiting or running. There are only a few: `QUOTAS.unfinishedOfApp`. */
export async function unfinishedOf(db: Reader, appId: number): Promise<Pick<DeploymentRow, 'id' | 'status' | 'trigger'>[]> {
  return await findUnfinished(db, { appId })
}

/** How many of the deployments that are waiting or running a person requested. */
export async function countUnfinishedOf(db: Reader, userId: number): Promise<number> {
  const unfinished = db.selectFrom('deployment').select((eb) => eb.fn.countAll<number>().as('count'))
  const { count } = await unfinished.where('finished_at', 'is', null).where('triggered_by', '=', userId).executeTakeFirstOrThrow()
  return count
}

/** Releases beyond those to keep, oldest last, whose artifacts can be removed. Excludes those that a queued rollback needs. */
export async function releasesBeyond(
  db: Reader,
  appId: number,
  kept: number,
): Promise<Pick<DeploymentRow, 'id' | 'image' | 'main_service'>[]> {
  return await db
    .selectFrom('deployment')
    .select(['id', 'image', 'main_service'])
    .where('app_id', '=', appId)
    .where('status', 'in', ['success', 'rolled_back'])
    .where('is_active', '=', 0)
    .where((eb) => eb.or([eb('image', '!=', ''), eb('main_service', '!=', '')]))
    .where('id', 'not in', awaitedReleases(db))
    .orderBy('number', 'desc')
    .offset(kept)
    .limit(1000)
    .execute()
}

/**
 * Also clears the settings of the release: without its image, nobody can roll back to it. Returns false, and changes nothing, if a rollback
 * to it was requested meanwhile.
 */
export async function forgetArtifact(tx: Tx, id: number): Promise<boolean> {
  const change = tx
    .updateTable('deployment')
    .set({ ...columnsOf(undefined), sealed_config: '' })
    .where('id', '=', id)
    .where('is_active', '=', 0)
    .where('id', 'not in', awaitedReleases(tx))
  const isForgotten = (await change.executeTakeFirst()).numUpdatedRows > 0n
  if (isForgotten) await deleteReleaseFiles(tx, id)
  return isForgotten
}

/** Releases that a rollback in the queue starts again. */
function awaitedReleases(db: Reader) {
  return db
    .selectFrom('deployment as waiting')
    .select('waiting.release_of')
    .where('finished_at', 'is', null)
    .where('release_of', 'is not', null)
}

export async function imageNames(db: Reader): Promise<string[]> {
  const rows = await db.selectFrom('deployment').select('image').distinct().where('image', '!=', '').execute()
  return rows.map(({ image }) => image)
}

export async function renameImage(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('deployment').set({ image: to }).where('image', '=', from).execute()
}

export async function isImageInUse(db: Reader, image: string): Promise<boolean> {
  const user = await db
    .selectFrom('deployment')
    .select('id')
    .where('image', '=', image)
    .where('status', 'not in', ['failed', 'stopped'])
    .executeTakeFirst()
  return user !== undefined
}

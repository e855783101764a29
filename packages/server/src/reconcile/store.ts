import { type Artifact, artifactOf } from '../domain/artifact.ts'
import { appLane } from '../domain/job-names.ts'
import { UNFINISHED } from '../domain/lifecycle.ts'
import type { AppRow, DeploymentRow } from '../domain/rows.ts'
import { lanesInQueue } from '../queue/queue-store.ts'
import type { Reader } from '../store/database.ts'

export type KeptRelease = { id: number; appId: number; artifact: Artifact }

/** Releases that may still be started. Those that failed or were cancelled never are. */
export async function keptReleases(db: Reader): Promise<KeptRelease[]> {
  const rows = await db
    .selectFrom('deployment')
    .select(['id', 'app_id', 'image', 'main_service'])
    .where((eb) => eb.or([eb('image', '!=', ''), eb('main_service', '!=', '')]))
    .where('status', 'not in', ['failed', 'stopped'])
    .execute()
  return rows.flatMap((row) => {
    const artifact = artifactOf(row)
    return artifact === undefined ? [] : [{ id: row.id, appId: row.app_id, artifact }]
  })
}

type KnownIds = { apps: Set<number>; projectOf: Map<number, number>; projects: Set<number> }

export async function knownIds(db: Reader): Promise<KnownIds> {
  const [apps, projects] = await Promise.all([
    db.selectFrom('app').select(['id', 'project_id']).execute(),
    db.selectFrom('project').select('id').execute(),
  ])
  const projectOf = new Map(apps.map(({ id, project_id }) => [id, project_id]))
  return { apps: ids(apps), projectOf, projects: ids(projects) }
}

export async function deploymentIds(db: Reader): Promise<Set<number>> {
  return ids(await db.selectFrom('deployment').select('id').execute())
}

function ids(rows: readonly { id: number }[]): Set<number> {
  return new Set(rows.map(({ id }) => id))
}

export async function listApps(db: Reader): Promise<AppRow[]> {
  return await db.selectFrom('app').selectAll().execute()
}

export async function listActive(db: Reader): Promise<Pick<DeploymentRow, 'id' | 'app_id' | 'processes'>[]> {
  return await db.selectFrom('deployment').select(['id', 'app_id', 'processes']).where('is_active', '=', 1).execute()
}

/** Unfinished, and no job in the queue would continue it. */
export async function unfinishedWithoutJob(db: Reader): Promise<Pick<DeploymentRow, 'id' | 'app_id' | 'triggered_by'>[]> {
  const rows = await db
    .selectFrom('deployment')
    .select(['id', 'app_id', 'triggered_by'])
    .where('finished_at', 'is', null)
    .where('status', 'in', UNFINISHED)
    .execute()
  const lanes = new Set(await lanesInQueue(db))
  return rows.filter((row) => !lanes.has(appLane(row.app_id)))
}

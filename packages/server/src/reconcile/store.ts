import type { AppType } from '@berth/contract'
import type { Reader } from '../store/database.ts'

export type KeptRelease = { id: number; appId: number; image: string; type: AppType }

/** Releases whose images may still be started. Those that failed or were cancelled never are. */
export async function keptReleases(db: Reader): Promise<KeptRelease[]> {
  return await db
    .selectFrom('deployment')
    .innerJoin('app', 'app.id', 'deployment.app_id')
    .select(['deployment.id', 'deployment.app_id as appId', 'deployment.image', 'app.app_type as type'])
    .where('deployment.image', '!=', '')
    .where('deployment.status', 'not in', ['failed', 'stopped'])
    .execute()
}

export async function knownIds(db: Reader): Promise<{ apps: Set<number>; projects: Set<number>; deployments: Set<number> }> {
  const [apps, projects, deployments] = await Promise.all([
    db.selectFrom('app').select('id').execute(),
    db.selectFrom('project').select('id').execute(),
    db.selectFrom('deployment').select('id').execute(),
  ])
  const ids = (rows: { id: number }[]) => new Set(rows.map((row) => row.id))
  return { apps: ids(apps), projects: ids(projects), deployments: ids(deployments) }
}

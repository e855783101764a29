import { type Artifact, artifactOf } from '../domain/artifact.ts'
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

export async function knownIds(db: Reader): Promise<{ apps: Set<number>; projects: Set<number>; deployments: Set<number> }> {
  const [apps, projects, deployments] = await Promise.all([
    db.selectFrom('app').select('id').execute(),
    db.selectFrom('project').select('id').execute(),
    db.selectFrom('deployment').select('id').execute(),
  ])
  const ids = (rows: { id: number }[]) => new Set(rows.map((row) => row.id))
  return { apps: ids(apps), projects: ids(projects), deployments: ids(deployments) }
}

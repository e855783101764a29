import type { EnvChanges } from '@berth/contract'
import type { AppRow } from '../../domain/rows.ts'
import type { Db } from '../../store/database.ts'
import { environmentChanges, type Released } from './changes.ts'
import type { ResolveEnvironment } from './resolve-environment.ts'
import { findLiveConfig } from './store.ts'

type Deps = { db: Db; resolve: ResolveEnvironment; openRelease: (appId: number, sealed: string) => Released }

export type ChangesSince = (app: AppRow) => Promise<EnvChanges>

const MOST_PROBLEMS = 50

/** What the next deployment would change. A release from before settings were recorded has none; then nothing can be said. */
export function createChangesSince({ db, resolve, openRelease }: Deps): ChangesSince {
  return async (app) => {
    const live = await findLiveConfig(db, app.id)
    const resolved = await resolve(app)
    const problems = resolved.problems.slice(0, MOST_PROBLEMS)
    if (!live?.sealed_config) return { deploymentId: null, changes: [], problems }
    return { deploymentId: live.id, changes: environmentChanges(resolved, openRelease(app.id, live.sealed_config)), problems }
  }
}

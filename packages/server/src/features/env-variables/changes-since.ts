import type { EnvChanges } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import type { AppRow } from '../../domain/rows.ts'
import { limited } from '../../lib/limited.ts'
import { createLimiter } from '../../lib/limiter.ts'
import type { Db } from '../../store/database.ts'
import { environmentChanges, type Released } from './changes.ts'
import type { ResolveEnvironment } from './resolve-environment.ts'
import { findLiveConfig } from './store.ts'

type Deps = { db: Db; resolve: ResolveEnvironment; openRelease: (appId: number, sealed: string) => Released }

export type ChangesSince = (caller: Pick<Caller, 'id'>, app: AppRow) => Promise<EnvChanges>

const MOST_PROBLEMS = 50
/** Each decrypts up to a few thousand values. */
const LIMITS = { running: 4, runningPerKey: 2, waiting: 500, waitingPerKey: 100, waitMs: 30_000 }
const TOO_MANY = 'The environments of too many apps are being compared. Try again in a few seconds.'

/** What the next deployment would change. Unknown for releases from before settings were recorded. */
export function createChangesSince({ db, resolve, openRelease }: Deps): ChangesSince {
  const limiter = createLimiter(LIMITS)

  async function compare(app: AppRow): Promise<EnvChanges> {
    const live = await findLiveConfig(db, app.id)
    const resolved = await resolve(app)
    const problems = resolved.problems.slice(0, MOST_PROBLEMS)
    if (!live?.sealed_config) return { deploymentId: null, changes: [], problems }
    return { deploymentId: live.id, changes: environmentChanges(resolved, openRelease(app.id, live.sealed_config)), problems }
  }

  return async (caller, app) => await limited(limiter, caller, TOO_MANY, async () => await compare(app))
}

import type { BuildPlan } from '@berth/contract'
import type { Db } from '../../../store/database.ts'
import { savePlan } from './plan-store.ts'

/** Stores the build plan of a deployment before its build starts. */
export function createKeepPlan(db: Db) {
  return async (deploymentId: number, plan: BuildPlan): Promise<void> =>
    await db.transaction(async (tx) => await savePlan(tx, deploymentId, plan))
}

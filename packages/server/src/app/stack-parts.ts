import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveRelease } from '../features/containers/live-release.ts'
import { findLive, statusesUnderWay } from '../features/containers/store.ts'
import { whenReachable } from '../features/containers/when-reachable.ts'
import { hasPlan, keptPlan, planDirectory, runsToItsEnd } from '../features/deployments/release/compose/plan.ts'
import type { SharedPlans } from '../features/deployments/release/compose/shared-plans.ts'
import { createPortSwitches } from '../features/ports/switches.ts'
import { createMeasureContainers } from '../features/stacks/measure.ts'
import { createRunningFile } from '../features/stacks/running-file.ts'
import { createStackServices } from '../features/stacks/services.ts'
import { findPrevious } from '../features/stacks/store.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'

type Deps = Pick<EngineParts, 'engine'> & {
  sharedPlans: Pick<SharedPlans, 'fetch'> | undefined
  liveRelease: LiveRelease
  lastLines: (containerId: string, count: number) => Promise<string[]>
}

/** The services of compose apps. */
export function createStackParts({ config, db, now, reservedPorts }: Foundation, { engine, sharedPlans, liveRelease, lastLines }: Deps) {
  const planOf = async (appId: number, deploymentId: number) => {
    const directory = planDirectory(config.dataDir, appId, deploymentId)
    const isThere = (await hasPlan(directory)) || (await sharedPlans?.fetch({ appId, deploymentId })) === true
    return isThere ? await keptPlan(directory) : undefined
  }
  const measure = createMeasureContainers({ engine, clock: () => performance.now(), sleep })
  const services = createStackServices({ db, engine, liveRelease, planOf, runsToItsEnd, lastLines, measure, whenReachable })
  const liveOf = async ({ id }: { id: number }) => {
    const live = await findLive(db, id)
    const plan = live && (await planOf(id, live.id))
    return live && plan && { deploymentId: live.id, plan }
  }
  const previousOf = async ({ id }: { id: number }, deploymentId: number) => {
    const previous = await findPrevious(db, id, deploymentId)
    const plan = previous === undefined ? undefined : await planOf(id, previous)
    return previous !== undefined && plan !== undefined ? { deploymentId: previous, plan } : undefined
  }
  const portSwitches = createPortSwitches({
    db,
    now,
    reservedPorts,
    livePlan: async (app) => (await liveOf(app))?.plan,
    statusesUnderWay,
  })
  return { stacks: { services, runningFile: createRunningFile({ liveOf, previousOf }) }, portSwitches }
}

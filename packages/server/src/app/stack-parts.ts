import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveRelease } from '../features/containers/live-release.ts'
import { whenReachable } from '../features/containers/when-reachable.ts'
import { hasPlan, keptPlan, planDirectory, runsToItsEnd } from '../features/deployments/release/compose/plan.ts'
import { createMeasureContainers } from '../features/stacks/measure.ts'
import { createStackServices } from '../features/stacks/services.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'

type Deps = Pick<EngineParts, 'engine'> & { liveRelease: LiveRelease; lastLines: (containerId: string, count: number) => Promise<string[]> }

/** The services of compose apps. */
export function createStackParts({ config, db }: Foundation, { engine, liveRelease, lastLines }: Deps) {
  const planOf = async (appId: number, deploymentId: number) => {
    const directory = planDirectory(config.dataDir, appId, deploymentId)
    return (await hasPlan(directory)) ? await keptPlan(directory) : undefined
  }
  const measure = createMeasureContainers({ engine, clock: () => performance.now(), sleep })
  const services = createStackServices({ db, engine, liveRelease, planOf, runsToItsEnd, lastLines, measure, whenReachable })
  return { services }
}

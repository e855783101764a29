import { kindOf } from '../../../../domain/app-kinds.ts'
import type { AppRow } from '../../../../domain/rows.ts'
import { stoppedServices } from '../../../../domain/stopped-services.ts'
import type { StackService } from '../../../../engine/compose/stack.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import { hasPlan, isPlanned, keptPlan, planDirectory, releaseLabels, runsToItsEnd } from './plan.ts'
import { replicasOf } from './replica.ts'

/**
 * Whether the containers of an app are those of its live release: a crash may have left those of another, or none. A service that was
 * stopped, and one that has done its work, may be there or not.
 */
export function createIsAsPlanned({ dataDir }: { dataDir: string }) {
  return async function isAsPlanned(app: AppRow, activeId: number, containers: readonly ContainerSummary[]): Promise<boolean> {
    const directory = planDirectory(dataDir, app.id, activeId)
    if (!kindOf(app).hasServices) return hasItsReplicas(app, activeId, containers)
    if (!(await hasPlan(directory))) return containers.some(({ owner }) => owner.deploymentId === activeId)
    const plan = await keptPlan(directory)
    const labels = releaseLabels(plan, activeId)
    const stopped = stoppedServices(app)
    const mayBeMissing = (name: string) => stopped.has(name) || runsToItsEnd(plan, name)
    const isThere = (service: StackService) => {
      const found = containers.filter(({ owner }) => owner.service === service.name).map(({ owner }) => owner.replica)
      const wanted = replicasOf(service)
      return found.every((each) => wanted.includes(each)) && (found.length === wanted.length || mayBeMissing(service.name))
    }
    return containers.every(({ owner }) => isPlanned(labels, owner)) && plan.services.every(isThere)
  }
}

/** One container for each replica, and no others. */
function hasItsReplicas({ replicas }: AppRow, activeId: number, containers: readonly ContainerSummary[]): boolean {
  const own = containers.filter(({ owner }) => owner.deploymentId === activeId && owner.service === null).map(({ owner }) => owner.replica)
  return own.length === replicas && own.every((replica) => replica <= replicas) && new Set(own).size === replicas
}

import { kindOf } from '../../../../domain/app-kinds.ts'
import { isAt, type Place } from '../../../../domain/processes.ts'
import type { AppRow, DeploymentRow } from '../../../../domain/rows.ts'
import { stoppedServices } from '../../../../domain/stopped-services.ts'
import type { LivePlaces } from '../../../../domain/wanted-places.ts'
import type { StackService } from '../../../../engine/compose/stack.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import { RELEASE_SERVICE } from '../container/release-command.ts'
import { hasPlan, isPlanned, keptPlan, planDirectory, releaseLabels, runsToItsEnd } from './plan.ts'
import { replicasOf } from './replica.ts'
import type { SharedPlans } from './shared-plans.ts'

type Active = Pick<DeploymentRow, 'id' | 'processes'>
type Deps = { dataDir: string; livePlaces: LivePlaces; sharedPlans?: Pick<SharedPlans, 'fetch'> | undefined }

/**
 * Whether the containers of an app are those of its live release: a crash may have left those of another, or none. A service that was
 * stopped, and one that has done its work, may be there or not.
 */
export function createIsAsPlanned({ dataDir, livePlaces, sharedPlans }: Deps) {
  return async function isAsPlanned(app: AppRow, active: Active, containers: readonly ContainerSummary[]): Promise<boolean> {
    const { id: activeId } = active
    const directory = planDirectory(dataDir, app.id, activeId)
    if (!kindOf(app).hasServices)
      return hasItsPlaces(
        await livePlaces(app, active),
        containers.filter(({ owner }) => owner.service !== RELEASE_SERVICE),
      )
    await sharedPlans?.fetch({ appId: app.id, deploymentId: activeId })
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

/** One container for each replica of each process, and no others. */
function hasItsPlaces(places: readonly Place[], containers: readonly ContainerSummary[]): boolean {
  return containers.length === places.length && places.every((place) => containers.some(({ owner }) => isAt(place, owner)))
}

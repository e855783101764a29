import { kindOf } from '../../../../domain/app-kinds.ts'
import type { AppRow } from '../../../../domain/rows.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import { hasPlan, isPlanned, keptPlan, planDirectory, releaseLabels } from './plan.ts'

/** Whether the services of a compose app are those of its live release: a crash may have left those of another, or none. */
export function createIsAsPlanned({ dataDir }: { dataDir: string }) {
  return async function isAsPlanned(app: AppRow, activeId: number, containers: readonly ContainerSummary[]): Promise<boolean> {
    const directory = planDirectory(dataDir, app.id, activeId)
    if (!kindOf(app).hasServices || !(await hasPlan(directory))) return true
    const labels = releaseLabels(await keptPlan(directory), activeId)
    const isThere = (name: string) => containers.some(({ owner }) => owner.service === name)
    return containers.every(({ owner }) => isPlanned(labels, owner)) && [...labels.keys()].every(isThere)
  }
}

import { kindOf } from '../../../../domain/app-kinds.ts'
import type { AppRow } from '../../../../domain/rows.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import { deploymentLabels, hasPlan, keptPlan, planDirectory } from './plan.ts'

/** Whether the services that a compose app's releases share are those of the live one: a crash may have left those of another. */
export function createIsAsPlanned({ dataDir }: { dataDir: string }) {
  return async function isAsPlanned(app: AppRow, activeId: number, containers: readonly ContainerSummary[]): Promise<boolean> {
    const shared = containers.filter(({ owner }) => owner.deploymentId === 'shared')
    const directory = planDirectory(dataDir, app.id, activeId)
    if (!kindOf(app).hasServices || shared.length === 0 || !(await hasPlan(directory))) return true
    const planned = deploymentLabels(await keptPlan(directory, activeId))
    return shared.every(({ owner }) => planned.get(owner.service ?? '') === owner.definition)
  }
}

import { kindOf } from '../../../../domain/app-kinds.ts'
import type { AppRow } from '../../../../domain/rows.ts'
import type { Ports } from '../../../ports/service.ts'
import { hasPlan, hostPortsOf, keptPlan, planDirectory } from './plan.ts'
import type { SharedPlans } from './shared-plans.ts'

type Deps = { dataDir: string; ports: Pick<Ports, 'keepOnly'>; sharedPlans?: Pick<SharedPlans, 'fetch'> | undefined }

/**
 * Gives up ports that were closed and that the live release does not have. A deployment does so at its end; this is for one that was
 * cancelled, failed in its build, or ended while the engine was away.
 */
export function createSettlePorts({ dataDir, ports, sharedPlans }: Deps) {
  return async function settlePorts(app: AppRow, activeId: number | undefined): Promise<void> {
    if (!kindOf(app).hasServices) return
    if (activeId !== undefined) await sharedPlans?.fetch({ appId: app.id, deploymentId: activeId })
    await ports.keepOnly(app.id, async () => {
      const directory = activeId === undefined ? undefined : planDirectory(dataDir, app.id, activeId)
      return directory !== undefined && (await hasPlan(directory)) ? hostPortsOf(await keptPlan(directory)) : []
    })
  }
}

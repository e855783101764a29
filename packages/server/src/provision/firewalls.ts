import { type AppFirewallDeps, createAppFirewall, removeAppFirewall } from './app-firewall.ts'
import { createBridgeWall, removeBridgeWall } from './bridge-wall.ts'
import { createConnectionLimits, removeConnectionLimits } from './connection-limits.ts'
import { createEngineFirewall, type EngineFirewallDeps, removeEngineFirewall } from './engine-firewall.ts'
import { createKernelTables } from './kernel-tables.ts'

/**
 * What keeps apps and builds from the control plane and from using up the kernel's tables of connections and neighbours, build steps from each other, and
 * the engine's own downloads from private addresses.
 */
export function createFirewalls(deps: EngineFirewallDeps & AppFirewallDeps) {
  const forApps = createAppFirewall(deps)
  const forEngine = createEngineFirewall(deps)
  const forBuilds = createBridgeWall(deps)
  const forConnections = createConnectionLimits(deps)
  const all = [forApps, forEngine, forBuilds, createKernelTables(deps), forConnections]

  async function ensure(controlPort: number, signal?: AbortSignal): Promise<void> {
    for (const firewall of all) await firewall.ensure(controlPort, signal)
  }

  return {
    ensure,
    message: () =>
      all
        .map((firewall) => firewall.message())
        .filter((text) => text !== '')
        .join(' '),
    hasEngineFirewall: forEngine.isInPlace,
  }
}

/** Removes all rules of an instance, which its control port names. */
export async function removeFirewalls(controlPort: number): Promise<void> {
  await removeAppFirewall(controlPort)
  await removeEngineFirewall(controlPort)
  await removeBridgeWall(controlPort)
  await removeConnectionLimits(controlPort)
}

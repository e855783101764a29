import { createAppFirewall, removeAppFirewall } from './app-firewall.ts'
import { createBridgeWall, removeBridgeWall } from './bridge-wall.ts'
import { createEngineFirewall, type EngineFirewallDeps, removeEngineFirewall } from './engine-firewall.ts'

/** What keeps apps and builds from the control plane, build steps from each other, and the engine's own downloads from private addresses. */
export function createFirewalls(deps: EngineFirewallDeps) {
  const forApps = createAppFirewall(deps)
  const forEngine = createEngineFirewall(deps)
  const forBuilds = createBridgeWall(deps)

  async function ensure(controlPort: number, signal?: AbortSignal): Promise<void> {
    await forApps.ensure(controlPort, signal)
    await forEngine.ensure(controlPort, signal)
    await forBuilds.ensure(controlPort, signal)
  }

  return {
    ensure,
    message: () => [forApps.message(), forEngine.message(), forBuilds.message()].filter((text) => text !== '').join(' '),
    hasEngineFirewall: forEngine.isInPlace,
  }
}

/** Removes all rules of an instance, which its control port names. */
export async function removeFirewalls(controlPort: number): Promise<void> {
  await removeAppFirewall(controlPort)
  await removeEngineFirewall(controlPort)
  await removeBridgeWall(controlPort)
}

import { createAppFirewall } from './app-firewall.ts'
import { createBridgeWall } from './bridge-wall.ts'
import { createEngineFirewall, type EngineFirewallDeps } from './engine-firewall.ts'

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
    isEngineWalled: forEngine.isInPlace,
  }
}

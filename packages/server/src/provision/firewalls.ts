import { createAppFirewall } from './app-firewall.ts'
import { createEngineFirewall, type EngineFirewallDeps } from './engine-firewall.ts'

/** What keeps apps and builds from the control plane, and the engine's own downloads from private addresses. */
export function createFirewalls(deps: EngineFirewallDeps) {
  const forApps = createAppFirewall(deps)
  const forEngine = createEngineFirewall(deps)

  async function ensure(controlPort: number, signal?: AbortSignal): Promise<void> {
    await forApps.ensure(controlPort, signal)
    await forEngine.ensure(controlPort, signal)
  }

  return {
    ensure,
    message: () => [forApps.message(), forEngine.message()].filter((text) => text !== '').join(' '),
    isEngineWalled: forEngine.isInPlace,
  }
}

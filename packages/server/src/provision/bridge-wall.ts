import type { Logger } from 'pino'
import type { EngineAddress } from '../engine/api/address.ts'
import { appFirewallChain } from './app-firewall.ts'
import { type DefaultBridge, defaultBridge } from './engine-ping.ts'
import { ebtables, type FirewallResult, replaceBridgeChain } from './iptables.ts'

type Rules = readonly (readonly string[])[]
const DROP = ['-j', 'DROP']

/** From the strictest to what every kernel supports; the first one accepted is used. */
function bridgeWallRules({ name, subnet }: DefaultBridge): readonly Rules[] {
  const betweenContainers = ['-i', 'veth+', '-o', 'veth+']
  return [
    [['--logical-in', name, '--logical-out', name, ...DROP]],
    [
      ['-p', 'ARP', '--arp-ip-src', subnet, ...DROP],
      ['-p', 'ARP', '--arp-ip-dst', subnet, ...DROP],
      // a container treats a frame with VLAN tag 0 as untagged, and the packet filter does not look into it
      ...['802_1Q', '0x88a8'].map((tag) => ['-p', tag, ...betweenContainers, ...DROP]),
    ],
  ]
}

/**
 * An engine that isolates the containers on its default bridge (`--icc=false`) does so for plain IP packets only. Build steps run there
 * and can send raw frames: with forged ARP and tagged frames, one could impersonate the server that another downloads from.
 */
export function createBridgeWall(deps: { log: Pick<Logger, 'info' | 'warn'>; mode: 'auto' | 'off'; engine: EngineAddress }) {
  const { log, mode, engine } = deps
  let message = ''
  let isInPlace = false

  async function ensure(port: number, signal?: AbortSignal): Promise<void> {
    if (mode === 'off' || !('socketPath' in engine) || process.getuid?.() !== 0) return
    const bridge = await defaultBridge(engine, signal)
    if (bridge === undefined || !bridge.isIsolated) return // the admin wants containers to reach each other, or the bridge does not exist yet
    const result = await apply(appFirewallChain(port), bridge, signal)
    if (signal?.aborted) return
    const problem = result.ok ? '' : `A build step can send forged Ethernet frames to other build steps: ${result.reason}.`
    if (problem !== '' && problem !== message) log.warn({ reason: problem }, 'isolation of build steps not added')
    if (problem === '' && !isInPlace) log.info({ bridge: bridge.name }, 'isolation of build steps added')
    isInPlace = problem === ''
    message = problem
  }

  return { ensure, message: () => message }
}

async function apply(chain: string, bridge: DefaultBridge, signal: AbortSignal | undefined): Promise<FirewallResult> {
  let result: FirewallResult = { ok: false, reason: 'the kernel does not support ebtables rules' }
  for (const rules of bridgeWallRules(bridge)) {
    result = await replaceBridgeChain(chain, rules, signal)
    if (result.ok) break
  }
  if (!result.ok) return result
  const listed = await ebtables(['-L', 'FORWARD'], signal)
  const isEntered = listed.ok && listed.output.split('\n').some((line) => line.trim() === `-j ${chain}`)
  return isEntered ? result : await ebtables(['-I', 'FORWARD', '-j', chain], signal)
}

/** Removes the rules of an instance. */
export async function removeBridgeWall(port: number): Promise<void> {
  const chain = appFirewallChain(port)
  while ((await ebtables(['-D', 'FORWARD', '-j', chain])).ok);
  for (const end of ['-F', '-X']) await ebtables([end, chain])
}

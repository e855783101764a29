import type { Logger } from 'pino'
import type { EngineAddress } from '../engine/api/address.ts'
import { appFirewallChain } from './app-firewall.ts'
import { type DefaultBridge, defaultBridge } from './engine-ping.ts'
import { ebtables, type FirewallResult, replaceBridgeChain } from './iptables.ts'

type Rules = readonly (readonly string[])[]
const DROP = ['-j', 'DROP']

/** From the widest to what every kernel has; the first that it takes counts. */
function bridgeWallRules({ name, subnet }: DefaultBridge): readonly Rules[] {
  const betweenContainers = ['-i', 'veth+', '-o', 'veth+']
  return [
    [['--logical-in', name, '--logical-out', name, ...DROP]],
    [
      ['-p', 'ARP', '--arp-ip-src', subnet, ...DROP],
      ['-p', 'ARP', '--arp-ip-dst', subnet, ...DROP],
      // a container takes a frame of VLAN 0 for one without a tag, and the packet filter does not look into it
      ...['802_1Q', '0x88a8'].map((tag) => ['-p', tag, ...betweenContainers, ...DROP]),
    ],
  ]
}

/**
 * An engine that keeps the containers of its default bridge apart (`--icc=false`) does so for plain IP packets. Build steps run there and may
 * write raw frames: with forged ARP and tagged frames, one could answer in the name of the server that another downloads from.
 */
export function createBridgeWall(deps: { log: Pick<Logger, 'info' | 'warn'>; mode: 'auto' | 'off'; engine: EngineAddress }) {
  const { log, mode, engine } = deps
  let message = ''
  let isInPlace = false

  async function ensure(port: number, signal?: AbortSignal): Promise<void> {
    if (mode === 'off' || !('socketPath' in engine) || process.getuid?.() !== 0) return
    const bridge = await defaultBridge(engine, signal)
    if (bridge === undefined || !bridge.isIsolated) return // whoever runs it wants its containers to talk, or it is not there yet
    const result = await apply(appFirewallChain(port), bridge, signal)
    if (signal?.aborted) return
    const problem = result.ok ? '' : `A build step can forge frames that reach other build steps: ${result.reason}.`
    if (problem !== '' && problem !== message) log.warn({ reason: problem }, 'wall between build steps not in place')
    if (problem === '' && !isInPlace) log.info({ bridge: bridge.name }, 'wall between build steps in place')
    isInPlace = problem === ''
    message = problem
  }

  return { ensure, message: () => message }
}

async function apply(chain: string, bridge: DefaultBridge, signal: AbortSignal | undefined): Promise<FirewallResult> {
  let result: FirewallResult = { ok: false, reason: 'the kernel has no rules for frames' }
  for (const rules of bridgeWallRules(bridge)) {
    result = await replaceBridgeChain(chain, rules, signal)
    if (result.ok) break
  }
  if (!result.ok) return result
  const listed = await ebtables(['-L', 'FORWARD'], signal)
  const isEntered = listed.ok && listed.output.split('\n').some((line) => line.trim() === `-j ${chain}`)
  return isEntered ? result : await ebtables(['-I', 'FORWARD', '-j', chain], signal)
}

/** Takes an instance's rules away again, for good. */
export async function removeBridgeWall(port: number): Promise<void> {
  const chain = appFirewallChain(port)
  while ((await ebtables(['-D', 'FORWARD', '-j', chain])).ok);
  for (const end of ['-F', '-X']) await ebtables([end, chain])
}

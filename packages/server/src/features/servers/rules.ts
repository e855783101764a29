import type { Availability } from '@berth/contract'
import type { SwarmNode } from '../../engine/swarm/nodes.ts'

/** Why a server cannot be changed like this, or undefined. */
export function whyNotAvailable(node: SwarmNode, hereId: string, wanted: Availability): string | undefined {
  if (node.id !== hereId || wanted === 'active') return undefined
  return 'Berth and its apps run on this server outside of Swarm, so it cannot be drained or paused.'
}

/** Why the edge of a server cannot be switched on or off, or undefined. */
export function whyNotEdge(node: SwarmNode, hereId: string, isOn: boolean): string | undefined {
  if (node.id === hereId) return 'The edge of the server that Berth runs on is always on.'
  if (!isOn) return undefined
  if (!node.isReady) return `${node.name} is down, so its edge cannot be switched on.`
  if (!node.isChecked) return `${node.name} has not passed its check. Check it first, so that it can get the image of the edge.`
  if (node.availability === 'drain') return `${node.name} is drained. Activate it first: its edge needs a container of Berth there.`
  return undefined
}

/** Why a server whose edge is on cannot be drained: from then on nobody could tell its edge what to serve. */
export function whyNotDrainedAsEdge({ isEdge, name }: SwarmNode): string | undefined {
  if (!isEdge) return undefined
  return `Visitors come in over ${name}. Take its address out of your DNS, switch its edge off, and then drain it.`
}

/** Why a server that runs these apps cannot be drained, or undefined. */
export function whyNotDrained(node: SwarmNode, nodes: readonly SwarmNode[], apps: readonly string[]): string | undefined {
  const isOpen = (other: SwarmNode) => other.id !== node.id && other.isReady && other.isChecked && other.availability === 'active'
  if (apps.length === 0 || nodes.some(isOpen)) return undefined
  const them = apps.length === 1 ? 'it' : 'them'
  return `Only ${node.name} can run ${apps.join(', ')} now. Pause it and deploy ${them} again, on the first server. Then drain it.`
}

type Removal = { hereId: string; containers: number; withData?: readonly string[] }

/** `withData`: the apps whose data is there. A lost server can be removed with it: keeping the server would not bring the data back. */
export function whyNotRemoved(node: SwarmNode, { hereId, containers, withData = [] }: Removal): string | undefined {
  const { name } = node
  if (node.id === hereId) return 'Berth runs on this server, so it cannot be removed.'
  if (node.role === 'manager') return `${name} is a manager. Make it a worker first.`
  if (!node.isReady) return undefined
  if (withData.length > 0)
    return `The data of ${withData.join(', ')} is on ${name}. Move it first (berth apps move), or delete the app with its volumes.`
  if (node.availability !== 'drain') return `Drain ${name} first, so that what runs there is moved to other servers.`
  if (containers > 0)
    return `${name} still runs ${containers === 1 ? 'a container' : `${containers} containers`}. Wait until they have been moved.`
  return undefined
}

/** Why these cannot be the managers, or undefined. */
export function whyNotManagers(nodes: readonly SwarmNode[], hereId: string, wanted: readonly string[]): string | undefined {
  if (wanted.length !== 1 && wanted.length !== 3)
    return 'There can be one manager or three. With two, losing either one stops deployments on all servers.'
  const chosen = nodes.filter(({ serverId }) => wanted.includes(serverId))
  if (!chosen.some(({ id }) => id === hereId))
    return 'The server that Berth runs on must stay a manager: Berth controls the others through it.'
  const down = chosen.find(({ isReady, role }) => !isReady && role === 'worker')
  return down && `${down.name} is down, so it cannot become a manager.`
}

export function whyNotChecked(node: SwarmNode, hereId: string): string | undefined {
  if (node.id === hereId) return 'Berth runs on this server. The health page and "berth doctor" check it.'
  if (!node.isReady) return `${node.name} is down, so it cannot be checked.`
  if (node.availability !== 'active') return `${node.name} takes no containers now. Activate it first: the check starts one there.`
  return undefined
}

/** What is wrong with the managers as a whole, in a sentence; empty if nothing. A change that was interrupted can leave two. */
export function troubleOfManagers(nodes: readonly SwarmNode[]): string {
  if (nodes.filter(({ role }) => role === 'manager').length !== 2) return ''
  return 'There are two managers: losing either one stops deployments on all servers. Set one or three ("Managers…", berth servers managers).'
}

/** What is wrong with a server, in a sentence; empty if nothing. */
export function troubleOf(node: SwarmNode): string {
  if (!node.isReady) {
    const why = node.message === '' || node.message === 'heartbeat failure' ? '' : ` (${node.message})`
    return `It does not answer${why}. Check that it is switched on and reachable. What ran there is started elsewhere, if it can be.`
  }
  if (node.actsAs === 'unreachable manager') return 'The other managers do not reach it on 2377/tcp.'
  return ''
}

import type { Engine } from '../../engine/engine.ts'
import type { SwarmNode } from '../../engine/swarm/nodes.ts'
import { AppError } from '../../lib/app-error.ts'
import { poll } from '../../lib/retry.ts'

type Swarm = Pick<Engine['swarm'], 'nodes' | 'changeNode'>

const CHANGED_WITHIN_MS = 30_000
const LOOK_MS = 500

/**
 * Makes exactly these the managers. First more managers, then fewer, so that there are never less than before or after; one that does not
 * become a manager takes back the others.
 */
export async function makeManagers(swarm: Swarm, nodes: readonly SwarmNode[], wanted: readonly string[]): Promise<void> {
  const promoted: SwarmNode[] = []
  for (const node of nodes.filter(({ serverId, role }) => wanted.includes(serverId) && role === 'worker')) {
    promoted.push(node)
    if (await becomes(swarm, node, 'manager')) continue
    for (const each of promoted.toReversed()) await swarm.changeNode(each.id, { role: 'worker' })
    const why = `${node.name} did not become a manager within ${CHANGED_WITHIN_MS / 1000} s. Allow 2377/tcp from the managers to it.`
    throw new AppError('server_refused', { message: `${why} The managers are as before.` })
  }
  const others = nodes.filter(({ serverId, role }) => !wanted.includes(serverId) && role === 'manager')
  // first those that are lost: without them, fewer are needed for a majority
  for (const node of others.toSorted((a, b) => Number(a.isReady) - Number(b.isReady)))
    if (!(await becomes(swarm, node, 'worker')))
      throw new AppError('server_refused', { message: `${node.name} is still a manager. Try again in a minute.` })
}

async function becomes(swarm: Swarm, { id }: SwarmNode, role: 'manager' | 'worker'): Promise<boolean> {
  await swarm.changeNode(id, { role })
  const read = async () => (await swarm.nodes()).find((node) => node.id === id)
  const isThere = (node: SwarmNode | undefined) => node?.actsAs === role
  return isThere(await poll(read, { until: isThere, everyMs: LOOK_MS, limitMs: CHANGED_WITHIN_MS }))
}

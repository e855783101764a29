import { EngineUnreachable } from '../../engine/api/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { SwarmNode } from '../../engine/swarm/nodes.ts'
import { AppError } from '../../lib/app-error.ts'
import { poll, retry, steadily } from '../../lib/retry.ts'

type Swarm = Pick<Engine['swarm'], 'nodes' | 'changeNode'>
type Change = { swarm: Swarm; nodes: readonly SwarmNode[]; wanted: readonly string[] }

const CHANGED_WITHIN_MS = 30_000
const LOOK_MS = 500

/**
 * Makes exactly these the managers. First more managers, then fewer, so that there are never fewer than before or after. If one does not
 * become a manager, or anything else fails meanwhile, the others are taken back.
 */
export async function makeManagers({ swarm, nodes, wanted }: Change, withinMs = CHANGED_WITHIN_MS): Promise<void> {
  const promoted: SwarmNode[] = []
  try {
    for (const node of nodes.filter(({ serverId, role }) => wanted.includes(serverId) && role === 'worker')) {
      promoted.push(node)
      if (!(await becomes(swarm, node, { role: 'manager', withinMs })))
        throw refusal(`${node.name} did not become a manager within ${withinMs / 1000} s. Allow 2377/tcp from the managers to it.`)
    }
  } catch (cause) {
    const left = await takeBack(swarm, promoted, withinMs)
    if (left.length === 0) throw cause instanceof AppError ? refusal(`${cause.message} The managers are as before.`) : cause
    const why = cause instanceof AppError ? cause.message : 'The servers did not answer.'
    throw refusal(`${why} ${left.join(' and ')} could not be made a worker again. Set the managers again once the servers answer.`, cause)
  }
  const others = nodes.filter(({ serverId, role }) => !wanted.includes(serverId) && role === 'manager')
  // first those that are lost: without them, fewer are needed for a majority
  for (const node of others.toSorted((a, b) => Number(a.isReady) - Number(b.isReady)))
    if (!(await becomes(swarm, node, { role: 'worker', withinMs })))
      throw refusal(`${node.name} is still a manager. Try again in a minute.`)
}

/** The names of those that stay managers. */
async function takeBack(swarm: Swarm, promoted: readonly SwarmNode[], withinMs: number): Promise<string[]> {
  const left: string[] = []
  for (const node of promoted.toReversed())
    if (!(await becomes(swarm, node, { role: 'worker', withinMs }).catch(() => false))) left.push(node.name)
  return left
}

/** While a manager is added or removed there may be no leader for a moment: one failed look means nothing. */
async function becomes(
  swarm: Swarm,
  { id }: SwarmNode,
  { role, withinMs }: { role: SwarmNode['role']; withinMs: number },
): Promise<boolean> {
  const isTransient = (cause: unknown) => cause instanceof EngineUnreachable
  await retry(async () => await swarm.changeNode(id, { role }), { isTransient, delayMs: steadily(LOOK_MS, withinMs) })
  const read = async () => (await swarm.nodes().catch(unless(isTransient)))?.find((node) => node.id === id)
  const isThere = (node: SwarmNode | undefined) => node?.role === role && node.actsAs === role
  return isThere(await poll(read, { until: isThere, everyMs: LOOK_MS, limitMs: withinMs }))
}

function unless(isExpected: (cause: unknown) => boolean) {
  return (cause: unknown): undefined => {
    if (!isExpected(cause)) throw cause
  }
}

function refusal(message: string, cause?: unknown): AppError {
  return new AppError('server_refused', { message, cause })
}

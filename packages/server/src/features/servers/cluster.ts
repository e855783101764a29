import type { ErrorCode } from '@berth/contract'
import type { Engine } from '../../engine/engine.ts'
import type { SwarmNode } from '../../engine/swarm/nodes.ts'
import type { SwarmState } from '../../engine/swarm/swarm.ts'
import { AppError } from '../../lib/app-error.ts'
import { IS_WORKER, NOT_ON, NOT_OURS } from './words.ts'

type Ours = Extract<SwarmState, { is: 'ours' }>

/** The Swarm if it is ours, and a server in it. Everything that changes something begins here. */
export function createCluster({ engine, instance }: { engine: Pick<Engine, 'swarm'>; instance: string }) {
  async function ours(refusal: ErrorCode = 'server_refused'): Promise<Ours> {
    const state = await engine.swarm.state(instance)
    if (state.is === 'ours') return state
    throw new AppError(refusal, { message: state.is === 'off' ? NOT_ON : state.is === 'other' ? NOT_OURS : IS_WORKER })
  }

  async function find(serverId: string): Promise<{ node: SwarmNode; nodes: readonly SwarmNode[]; hereId: string }> {
    const { nodeId: hereId } = await ours()
    const nodes = await engine.swarm.nodes()
    const node = nodes.find((each) => each.serverId === serverId)
    if (!node) throw new AppError('server_not_found')
    return { node, nodes, hereId }
  }

  /** The address at which the other servers reach this one. */
  async function ownAddress(): Promise<string> {
    const { nodeId } = await ours()
    return (await engine.swarm.nodes()).find(({ id }) => id === nodeId)?.address ?? ''
  }

  return { ours, find, ownAddress }
}

export type Cluster = ReturnType<typeof createCluster>

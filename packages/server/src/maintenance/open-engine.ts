import type { Config } from '../config.ts'
import { createEngine, type Engine } from '../engine/engine.ts'
import type { Instance } from './doctor/store.ts'

/** The engine for a command that only looks at things or removes them. Other servers are asked only if there are any. */
export function openEngine({ engine: address }: Config, { isSwarmOn }: Pick<Instance, 'isSwarmOn'>): Engine {
  const log = { info: () => undefined, warn: () => undefined }
  const otherServers = { isSwarm: async () => isSwarmOn, whyNot: () => '', openWay: async () => undefined }
  return createEngine({ address, log, now: () => new Date(), otherServers })
}

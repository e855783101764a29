import { networkInterfaces } from 'node:os'
import type { Caller } from '../../domain/caller.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Db } from '../../store/database.ts'
import { setSwarmOn } from '../../store/swarm-fact.ts'
import type { Cluster } from './cluster.ts'
import { chooseAddress, reachableAddresses } from './join-command.ts'
import { createServerAudit } from './server-audit.ts'
import { sortedAppNames } from './store.ts'
import { IS_WORKER, LIVE_RESTORE, NOT_OURS } from './words.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'swarm' | 'removeChecks' | 'removeAgents' | 'removePlaced'>
  cluster: Cluster
  instance: string
  now: () => Date
  onSwitched: () => void
}

/** Swarm is switched on for the second server, and off again when only this one is left. */
export function createSwitching(deps: Deps) {
  const { engine, cluster, instance, onSwitched } = deps
  const audit = createServerAudit(deps)
  const refuse = (message: string) => new AppError('swarm_not_possible', { message })

  /** Does nothing if it is on. */
  async function turnOn(caller: Caller, { consent, address }: { consent?: boolean; address?: string }): Promise<void> {
    const state = await engine.swarm.state(instance)
    if (state.is === 'ours') return
    if (state.is !== 'off') throw refuse(state.is === 'other' ? NOT_OURS : IS_WORKER)
    if (consent !== true) throw new AppError('swarm_needs_consent')
    if (state.hasLiveRestore) throw refuse(LIVE_RESTORE)
    const chosen = chooseAddress(address, reachableAddresses(networkInterfaces()))
    await audit(caller, 'server.turn_on', { after: { address: chosen } })
    await engine.swarm.turnOn(instance, chosen)
    await setSwarmOn(deps.db, true) // after a crash before this, the next look does it
    onSwitched()
  }

  async function turnOff(caller: Caller): Promise<void> {
    const { nodeId } = await cluster.ours('swarm_not_possible')
    const others = (await engine.swarm.nodes()).filter(({ id }) => id !== nodeId)
    if (others.length > 0) throw refuse('Remove the other servers first: Swarm connects them.')
    await engine.removeChecks(instance)
    await engine.removeAgents(instance)
    const owners = await engine.swarm.owners()
    const appIds = owners.flatMap(({ appId }) => appId ?? [])
    const apps = await sortedAppNames(deps.db, appIds)
    if (apps.length > 0)
      throw refuse(`These apps run in the Swarm: ${apps.join(', ')}. Deploy them again, and they run on this server without it.`)
    if (owners.length > 0) throw refuse('There are services in the Swarm. Remove them first (docker service ls).')
    await audit(caller, 'server.turn_off')
    await engine.removePlaced(instance)
    await engine.swarm.turnOff()
    await setSwarmOn(deps.db, false)
    onSwitched()
  }

  return { turnOn, turnOff }
}

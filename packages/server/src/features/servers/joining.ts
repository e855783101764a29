import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { ServerInvitation } from '@berth/contract'
import { PLATFORM } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Engine } from '../../engine/engine.ts'
import type { SwarmNode } from '../../engine/swarm/nodes.ts'
import { MANAGER_PORT } from '../../engine/swarm/ports.ts'
import { AppError } from '../../lib/app-error.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import type { Db } from '../../store/database.ts'
import { isSwarmOn, setSwarmOn } from '../../store/swarm-fact.ts'
import { type Telling, toldTo } from './closed-to-apps.ts'
import type { Cluster } from './cluster.ts'
import { joinCommand } from './join-command.ts'
import { createServerAudit } from './server-audit.ts'
import type { Seen } from './waiting.ts'

type Deps = Telling & {
  db: Db
  engine: Pick<Engine, 'swarm' | 'agentImage'>
  cluster: Cluster
  instance: string
  now: () => Date
  /** After each look: the other servers; undefined without a Swarm of ours. */
  onLook: (others: readonly Seen[] | undefined) => void
}

const OPEN_MS = 3600 * 1000

/** Adding servers: gives out a command that works once, and gives an id to the servers that joined with it. */
export function createJoining(deps: Deps) {
  const { engine, cluster, instance, now } = deps
  const audit = createServerAudit(deps)
  const [giveIds, isOurs] = [createGiveIds(engine, audit), createIsOurs(deps)]
  const oneAtATime = createSemaphore(1)
  /** Whether to ask the engine: at least once, and not again without Swarm. */
  let isOn = true
  let isFirst = true
  /** For the image in the command; only this process knows it, so a restart ends it. */
  let imageToken: string | undefined

  async function invite(caller: Caller, site: URL): Promise<ServerInvitation> {
    isOn = true
    await registerJoined() // this server, if Swarm was just switched on
    return await oneAtATime.run(async () => {
      const manager = `${await cluster.ownAddress()}:${MANAGER_PORT}`
      const openUntil = new Date(now().getTime() + OPEN_MS).toISOString()
      await audit(caller, 'server.invite', { after: { openUntil } })
      await engine.agentImage.ensure(instance) // before the command is used
      const joinToken = await engine.swarm.replaceToken(openUntil)
      imageToken = randomBytes(24).toString('hex')
      isOn = true // a look from before Swarm was switched on may have ended meanwhile
      return { command: joinCommand({ site, imageToken, joinToken, manager, ...(await toldTo(deps)) }), openUntil }
    })
  }

  /** From then on the command that was given out last does not work. */
  async function close(): Promise<void> {
    imageToken = undefined
    await engine.swarm.replaceToken()
  }

  async function stopAdding(caller: Caller): Promise<void> {
    await cluster.ours('swarm_not_possible')
    await audit(caller, 'server.stop_adding')
    await oneAtATime.run(close)
  }

  /** Gives an id of ours to servers that have none. The token that they came with has been used, so it is replaced first. */
  async function registerJoined(): Promise<void> {
    await oneAtATime.run(async () => {
      const { nodeId, openUntil } = await cluster.ours()
      const nodes = await engine.swarm.nodes()
      const fresh = nodes.filter(({ serverId }) => serverId === '')
      // after a restart nobody can load the image with the command from before any more
      const isOver = openUntil !== null && (openUntil < now().toISOString() || (isFirst && imageToken === undefined))
      if (isOver || fresh.some(({ id }) => id !== nodeId)) await close()
      isFirst = false
      const given = await giveIds(fresh, nodeId)
      const others = nodes.filter(({ id }) => id !== nodeId)
      deps.onLook(others.map((node) => ({ ...node, serverId: given.get(node.id) ?? node.serverId })))
    })
  }

  async function watch(): Promise<void> {
    if (!isOn && !(await isSwarmOn(deps.db))) return // another control plane may have switched it on
    isOn = await isOurs()
    return isOn ? await registerJoined() : reset()
  }

  async function image(token: string, signal: AbortSignal): Promise<{ name: string; contents: Readable }> {
    if (!isSame(imageToken ?? '', token)) throw new AppError('wrong_server_token')
    return { name: 'berth-agent.tar', contents: await engine.agentImage.contents(instance, signal) }
  }

  /** There is no Swarm of ours. */
  function reset(): void {
    isOn = false
    imageToken = undefined
    deps.onLook(undefined)
  }

  return { invite, stopAdding, watch, image, reset }
}

/** Asks the engine, and stores the answer, so that others need not ask it. Of one that is ours, it limits what Swarm keeps: an earlier Berth did not. */
function createIsOurs({ db, engine, instance }: Pick<Deps, 'db' | 'engine' | 'instance'>) {
  let isLimited = false

  return async function isOurs(): Promise<boolean> {
    const { is } = await engine.swarm.state(instance)
    if (is !== 'worker') await setSwarmOn(db, is === 'ours')
    if (is === 'ours' && !isLimited) await engine.swarm.limitHistory()
    isLimited = is === 'ours'
    return is === 'ours'
  }
}

/** Returns our ids by those of Swarm. */
function createGiveIds({ swarm }: Pick<Engine, 'swarm'>, audit: ReturnType<typeof createServerAudit>) {
  return async (fresh: readonly SwarmNode[], hereId: string): Promise<ReadonlyMap<string, string>> => {
    const given = new Map<string, string>()
    for (const { id, name, address } of fresh) {
      const serverId = randomBytes(5).toString('hex')
      if (id !== hereId) await audit(PLATFORM, 'server.join', { after: { serverId, name, address } })
      await swarm.changeNode(id, { serverId })
      given.set(id, serverId)
    }
    return given
  }
}

function isSame(known: string, given: string): boolean {
  const [a, b] = [Buffer.from(known), Buffer.from(given)]
  return a.length > 0 && a.length === b.length && timingSafeEqual(a, b)
}

import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { ServerInvitation } from '@berth/contract'
import { PLATFORM } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Engine } from '../../engine/engine.ts'
import { MANAGER_PORT } from '../../engine/swarm/swarm.ts'
import { AppError } from '../../lib/app-error.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import type { Db } from '../../store/database.ts'
import type { Cluster } from './cluster.ts'
import { joinCommand } from './join-command.ts'
import { createServerAudit } from './server-audit.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'swarm' | 'agentImage' | 'removeChecks'>
  cluster: Cluster
  instance: string
  now: () => Date
  onJoined: (serverId: string) => void
}

const OPEN_MS = 3600 * 1000

/** How a server comes in: a command is given out that works once, and what joined with it is recognised. */
export function createJoining(deps: Deps) {
  const { engine, cluster, instance, now } = deps
  const audit = createServerAudit(deps)
  const oneAtATime = createSemaphore(1)
  /** Undefined until the engine was asked once. Without Swarm it is never asked again. */
  let isOn: boolean | undefined
  /** For the image in the command; only this process knows it, so a restart ends it. */
  let imageToken: string | undefined

  async function invite(caller: Caller, site: URL): Promise<ServerInvitation> {
    isOn = true
    await welcome() // this server, if Swarm was just switched on
    return await oneAtATime.run(async () => {
      const manager = `${await cluster.ownAddress()}:${MANAGER_PORT}`
      const openUntil = new Date(now().getTime() + OPEN_MS).toISOString()
      await audit(caller, 'server.invite', { after: { openUntil } })
      await engine.agentImage.ensure(instance) // before the command is used
      const joinToken = await engine.swarm.replaceToken(openUntil)
      imageToken = randomBytes(24).toString('hex')
      return { command: joinCommand({ site, imageToken, joinToken, manager }), openUntil }
    })
  }

  /** Makes the command invalid that was given out last. */
  async function close(): Promise<void> {
    imageToken = undefined
    await engine.swarm.replaceToken()
  }

  async function stopAdding(caller: Caller): Promise<void> {
    await cluster.ours('swarm_not_possible')
    await audit(caller, 'server.stop_adding')
    await oneAtATime.run(close)
  }

  /** Gives an id of ours to servers that have none. The token that they came with has been used, so it is replaced. */
  async function welcome(): Promise<void> {
    await oneAtATime.run(async () => {
      const { nodeId, openUntil } = await cluster.ours()
      const fresh = (await engine.swarm.nodes()).filter(({ serverId }) => serverId === '')
      const isOver = openUntil !== null && openUntil < now().toISOString()
      if (isOver || fresh.some(({ id }) => id !== nodeId)) await close()
      for (const { id, name, address } of fresh) {
        const serverId = randomBytes(5).toString('hex')
        await engine.swarm.changeNode(id, { serverId })
        if (id === nodeId) continue
        await audit(PLATFORM, 'server.join', { after: { serverId, name, address } })
        deps.onJoined(serverId)
      }
    })
  }

  async function watch(): Promise<void> {
    if (isOn === false) return
    const isFirst = isOn === undefined
    const state = await engine.swarm.state(instance)
    isOn = state.is === 'ours'
    if (state.is !== 'ours') return
    if (isFirst) await engine.removeChecks(instance)
    if (isFirst && state.openUntil !== null && imageToken === undefined) await oneAtATime.run(close) // from before a restart
    await welcome()
  }

  async function image(token: string, signal: AbortSignal): Promise<{ name: string; contents: Readable }> {
    if (!isSame(imageToken ?? '', token)) throw new AppError('wrong_server_token')
    return { name: 'berth-agent.tar', contents: await engine.agentImage.contents(instance, signal) }
  }

  const reset = (): void => void ([isOn, imageToken] = [false, undefined])
  return { invite, stopAdding, watch, image, reset }
}

function isSame(known: string, given: string): boolean {
  const [a, b] = [Buffer.from(known), Buffer.from(given)]
  return a.length > 0 && a.length === b.length && timingSafeEqual(a, b)
}

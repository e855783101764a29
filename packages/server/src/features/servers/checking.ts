import { EngineUnreachable } from '../../engine/api/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { ImageServer } from '../../engine/image-server/image-server.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Logger } from '../../lib/logger.ts'
import { closedToApps, type Telling, toldTo } from './closed-to-apps.ts'
import type { Cluster } from './cluster.ts'
import { findingsOf, isUnsafe } from './findings.ts'
import type { Checked } from './listing.ts'
import { whyNotChecked } from './rules.ts'
import { createWaiting } from './waiting.ts'

type LentImage = Awaited<ReturnType<ImageServer['lend']>>
type Deps = Telling & {
  engine: Pick<Engine, 'swarm' | 'agentImage' | 'probeServer' | 'removeChecks'>
  /** An image to try whether a server can pull from this Berth; undefined if it does not have to. */
  lendImage: () => Promise<LentImage | undefined>
  cluster: Cluster
  instance: string
  now: () => Date
  log: Pick<Logger, 'info' | 'warn'>
}

/** Checks of other servers. The results are kept in memory; that a server passed is a label on it. */
export function createChecking(deps: Deps) {
  const { engine, cluster, instance, now, log } = deps
  const results = new Map<string, Checked>()
  /** Servers whose check itself failed, not the server. They are not tried again until an owner does. */
  const failed = new Set<string>()
  const waiting = createWaiting(forget)
  let areOldRemoved = false

  async function check(serverId: string, signal: AbortSignal): Promise<void> {
    const { node, hereId } = await cluster.find(serverId)
    const whyNot = whyNotChecked(node, hereId)
    if (whyNot !== undefined) throw new AppError('server_refused', { message: whyNot })
    const image = await engine.agentImage.ensure(instance)
    const lent = await deps.lendImage()
    const place = { hereId, nodeId: node.id, address: node.address, closed: closedToApps(deps.controlPlane(), node.address) }
    const probed = await engine.probeServer({ instance, image, ...place, pull: lent }, signal).finally(() => lent?.end())
    const checks = findingsOf(node, probed, await toldTo(deps))
    const problems = checks.filter(({ level }) => level === 'problem')
    // what runs there is moved away when a server is not checked any more, so only if it is not safe there
    if (problems.length === 0) await engine.swarm.changeNode(node.id, { isChecked: true })
    else if (problems.some(isUnsafe)) await engine.swarm.changeNode(node.id, { isChecked: false })
    waiting.done(serverId)
    results.set(serverId, { checks, checkedAt: now().toISOString() })
    log.info({ serverId, problems: problems.map(({ check: name }) => name) }, 'server checked')
  }

  async function mayBeChecked(serverId: string): Promise<boolean> {
    try {
      const { node, hereId } = await cluster.find(serverId)
      return whyNotChecked(node, hereId) === undefined
    } catch (cause) {
      if (cause instanceof AppError && cause.code === 'server_not_found') return false // it was removed meanwhile
      throw cause
    }
  }

  function forget(serverId: string): void {
    results.delete(serverId)
    failed.delete(serverId)
    waiting.done(serverId)
  }

  /** Called again and again. Checks each server once that has joined or is back, and after a restart of Berth those that have not passed. */
  async function checkWaiting(signal: AbortSignal): Promise<void> {
    const all = waiting.list()
    if (all === undefined) return
    if (!areOldRemoved) await engine.removeChecks(instance) // from before a restart
    areOldRemoved = true
    for (const serverId of all) {
      if (results.has(serverId) || failed.has(serverId) || !(await mayBeChecked(serverId))) continue
      try {
        await check(serverId, signal)
      } catch (err) {
        if (signal.aborted) throw err
        if (!(err instanceof EngineUnreachable)) failed.add(serverId)
        log.warn({ serverId, err }, 'a new server could not be checked')
      }
    }
  }

  return {
    check,
    checkWaiting,
    see: waiting.see,
    checkedOf: (serverId: string): Checked => results.get(serverId) ?? { checks: [], checkedAt: null },
    forget,
  }
}

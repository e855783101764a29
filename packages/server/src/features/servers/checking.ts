import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Cluster } from './cluster.ts'
import { findingsOf } from './findings.ts'
import type { Checked } from './listing.ts'
import { whyNotChecked } from './rules.ts'

type Deps = {
  engine: Pick<Engine, 'swarm' | 'agentImage' | 'probeServer'>
  cluster: Cluster
  instance: string
  now: () => Date
  log: Pick<Logger, 'info' | 'warn'>
}

/** Checks of other servers. The results are kept in memory; that a server passed is a label on it. */
export function createChecking({ engine, cluster, instance, now, log }: Deps) {
  const results = new Map<string, Checked>()
  const waiting = new Set<string>()

  async function check(serverId: string, signal: AbortSignal): Promise<void> {
    const { node, hereId } = await cluster.find(serverId)
    const whyNot = whyNotChecked(node, hereId)
    if (whyNot !== undefined) throw new AppError('server_refused', { message: whyNot })
    const image = await engine.agentImage.ensure(instance)
    const probed = await engine.probeServer({ instance, image, hereId, nodeId: node.id, address: node.address }, signal)
    const checks = findingsOf(node, probed)
    results.set(serverId, { checks, checkedAt: now().toISOString() })
    // without the image nothing was learned, and what an earlier check found is still true
    if (probed.is !== 'without image')
      await engine.swarm.changeNode(node.id, { isChecked: checks.every(({ level }) => level !== 'problem') })
    log.info({ serverId, problems: checks.filter(({ level }) => level === 'problem').map(({ check: name }) => name) }, 'server checked')
  }

  /** Those that joined, as soon as they answer. */
  async function checkWaiting(signal: AbortSignal): Promise<void> {
    for (const serverId of waiting) {
      const { node } = await cluster.find(serverId)
      if (!node.isReady) continue
      waiting.delete(serverId)
      await check(serverId, signal).catch((err: unknown) => log.warn({ serverId, err }, 'a new server could not be checked'))
    }
  }

  return {
    check,
    checkWaiting,
    checkSoon: (serverId: string) => void waiting.add(serverId),
    checkedOf: (serverId: string): Checked => results.get(serverId) ?? { checks: [], checkedAt: null },
    forget: (serverId: string) => {
      results.delete(serverId)
      waiting.delete(serverId)
    },
  }
}

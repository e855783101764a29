import type { Health, ServerMetrics } from '@berth/contract'
import type { EdgeState } from '../../edge/edge.ts'
import type { Engine } from '../../engine/engine.ts'
import { hasVulnerableBuilder } from '../../engine/vulnerable-builder.ts'
import type { Provisioning } from '../../provision/provisioning.ts'

type Part<State> = { state: State; message: string }
const UNKNOWN: ServerMetrics['docker'] = { containers_running: 0, containers_total: 0, images: 0 }
const EDGE_STATES = { ready: 'ok', starting: 'starting', unreachable: 'unreachable', off: 'off' } as const satisfies Record<
  EdgeState['state'],
  Health['checks']['edge']
>

type Deps = {
  engine: Pick<Engine, 'ping' | 'facts' | 'counts'>
  provisioning: Pick<Provisioning, 'state'>
  log: { warn(fields: object, message: string): void }
}

/** Checks every few seconds whether the engine responds, so that /health itself does not have to. */
export function createEngineWatch(deps: Deps) {
  let isUp = false
  let isJudged = false
  let counts: { at: number; value: ServerMetrics['docker'] } = { at: 0, value: UNKNOWN }

  async function look(signal: AbortSignal): Promise<void> {
    try {
      const soon = AbortSignal.any([signal, AbortSignal.timeout(4000)])
      await deps.engine.ping(soon)
      isUp = true
      isJudged ||= await judge(soon).catch(() => false) // the next check comes soon
    } catch {
      isUp = false
      isJudged = false // a different engine may respond next
    }
  }

  /** In the log and not in /health, which is public. */
  async function judge(signal: AbortSignal): Promise<boolean> {
    const { version } = await deps.engine.facts(signal)
    if (!hasVulnerableBuilder(version)) return true
    const engine = `Docker ${version === '' ? 'of an unknown version' : version}`
    const message = `${engine} has known vulnerabilities in its builder, so some forms of RUN --mount are refused. Update to 25.0.2 or newer.`
    deps.log.warn({ version }, message)
    return true
  }

  function health(): Part<Health['checks']['engine']> {
    if (isUp) return { state: 'ok', message: '' }
    const { phase, message } = deps.provisioning.state()
    const isUnderWay = phase === 'checking' || phase === 'installing' || phase === 'starting'
    return {
      state: isUnderWay ? 'provisioning' : 'unreachable',
      message: phase === 'ready' ? 'The container engine is no longer responding.' : message,
    }
  }

  function edgeHealth(edge: EdgeState): Part<Health['checks']['edge']> {
    return { state: EDGE_STATES[edge.state], message: edge.state === 'ready' ? '' : edge.message }
  }

  async function engineCounts(): Promise<ServerMetrics['docker']> {
    if (!isUp) return UNKNOWN
    if (performance.now() - counts.at < 3000) return counts.value
    const found = await deps.engine.counts().catch(() => undefined)
    counts = {
      at: performance.now(),
      value: found
        ? { containers_running: found.containersRunning, containers_total: found.containersTotal, images: found.images }
        : UNKNOWN,
    }
    return counts.value
  }

  return { look, health, edgeHealth, counts: engineCounts, isReachable: () => isUp }
}

export type EngineWatch = ReturnType<typeof createEngineWatch>

import { setTimeout as sleep } from 'node:timers/promises'
import type { Dependency } from '../../../../engine/compose/stack.ts'
import type { ContainerDetails } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import type { Context } from '../../run/stage.ts'
import { type ServiceFailure, whatHappened } from './service-failure.ts'

type Waiting = { readonly service: string; readonly dependency: Dependency; readonly id: string; readonly signal: AbortSignal }
type Verdict = 'yes' | 'not yet' | { readonly never: string }

const LOOK_MS = 250

/** Waits until a dependency of a service meets its condition, within the deadline of the stage. */
export function createWaitFor({ engine, serviceFailure }: { engine: Pick<Engine, 'containers'>; serviceFailure: ServiceFailure }) {
  return async function waitFor(context: Context, { service, dependency, id, signal }: Waiting): Promise<void> {
    if (dependency.condition === 'service_started') return
    for (let looks = 0; ; looks += 1) {
      const details = await context.ask(() => engine.containers.inspect(id, signal), signal)
      const verdict = verdictOn(details, dependency)
      if (verdict === 'yes') return
      if (verdict !== 'not yet') {
        if (!dependency.isOptional) throw await serviceFailure(context, details, `${verdict.never}, and "${service}" waits for it`)
        return context.say(`The service "${dependency.service}" ${verdict.never}; "${service}" starts without it`)
      }
      if (looks === 0) context.say(`The service "${service}" waits until "${dependency.service}" ${WORDS[dependency.condition]}`)
      await sleep(LOOK_MS, undefined, { signal })
    }
  }
}

const WORDS = { service_started: 'is started', service_healthy: 'is healthy', service_completed_successfully: 'has finished' } as const

function verdictOn(details: ContainerDetails | null, { condition }: Dependency): Verdict {
  if (details === null) return { never: 'disappeared' }
  if (details.state === 'exited') {
    if (condition === 'service_completed_successfully' && details.exitCode === 0) return 'yes'
    return { never: whatHappened(details) }
  }
  if (condition === 'service_completed_successfully') return 'not yet'
  if (details.health === 'healthy') return 'yes'
  if (details.health === 'unhealthy') return { never: `is not healthy${details.healthOutput && `: ${details.healthOutput.slice(-300)}`}` }
  return details.health === '' && details.state === 'running' ? { never: 'has no health check' } : 'not yet'
}

import type { ContainerUsage } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { Engine } from '../../engine/engine.ts'
import { limited } from '../../lib/limited.ts'
import { createLimiter } from '../../lib/limiter.ts'
import type { LiveRelease } from './live-release.ts'

type Deps = {
  engine: Pick<Engine, 'containers'>
  liveRelease: LiveRelease
  whenReachable: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** A page with many apps asks for all of them at once. */
const LIMITS = { running: 32, runningPerKey: 16, waiting: 1000, waitingPerKey: 200, waitMs: 30_000 }
const TOO_MANY = 'The usage of too many apps is being measured. Try again in a few seconds.'

/**
 * CPU and memory of an app's containers. Measuring takes a connection and two seconds per container, so concurrent requests share the
 * result.
 */
export function createUsage({ engine, liveRelease, whenReachable }: Deps) {
  const limiter = createLimiter(LIMITS)
  const measuring = new Map<number, Promise<ContainerUsage>>()

  async function measure(app: AppRow): Promise<ContainerUsage> {
    const release = await liveRelease(app)
    const seen = await Promise.all((release?.containers ?? []).map(async (container) => await engine.containers.stats(container.id)))
    const used = seen.filter((entry) => entry !== null)
    return {
      cpu: Math.round(used.reduce((sum, entry) => sum + entry.cpu, 0) * 1000) / 10,
      memory: used.reduce((sum, entry) => sum + entry.memoryBytes, 0),
      memoryLimit: used.reduce((sum, entry) => sum + entry.memoryLimitBytes, 0),
    }
  }

  return async function usage(caller: Pick<Caller, 'id'>, app: AppRow): Promise<ContainerUsage> {
    const running = measuring.get(app.id)
    if (running) return await running
    const mine = limited(limiter, caller, TOO_MANY, async () => await whenReachable(async () => await measure(app)))
    measuring.set(app.id, mine)
    try {
      return await mine
    } finally {
      measuring.delete(app.id)
    }
  }
}

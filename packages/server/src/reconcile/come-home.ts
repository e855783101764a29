import type { AppRow } from '../domain/rows.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../lib/logger.ts'

type Deps = {
  engine: { readonly containers: Pick<Engine['containers'], 'remove'>; readonly placement: Pick<Engine['placement'], 'isOpen'> }
  /** A server that restarts is back sooner. */
  waitForServerMs: number
  now: () => Date
  log: Pick<Logger, 'warn'>
}

/**
 * Removes the containers of an app that no other server is left for, so that they are started on this one. They stay here until the app is
 * deployed again. An app that may run on certain servers only waits for them. Returns the containers that are left.
 */
export function createComeHome({ engine, waitForServerMs, now, log }: Deps) {
  return async function comeHome(app: AppRow, live: readonly ContainerSummary[]): Promise<readonly ContainerSummary[]> {
    if (app.placement !== '') return live
    const latest = now().getTime() - waitForServerMs
    const stranded = live.filter(({ waitingSince }) => waitingSince !== undefined && Date.parse(waitingSince) < latest)
    if (stranded.length === 0 || (await engine.placement.isOpen())) return live
    for (const { id, name } of stranded) {
      log.warn({ appId: app.id, container: name }, 'no other server can run the container; starting it on this one')
      await engine.containers.remove(id)
    }
    return live.filter((container) => !stranded.includes(container))
  }
}

export type ComeHome = ReturnType<typeof createComeHome>

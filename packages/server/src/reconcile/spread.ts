import { appLane } from '../domain/job-names.ts'
import { type AppRow, findApp } from '../domain/rows.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../lib/logger.ts'
import type { Reader } from '../store/database.ts'

type Moved = Pick<ContainerSummary, 'id' | 'owner' | 'state'>
type Deps = {
  db: Reader
  engine: Pick<Engine, 'apart'>
  instance: string
  /** Apps with work in progress, which are left alone. */
  busyLanes: () => Promise<ReadonlySet<string>>
  /** Whether all these replicas answer. */
  doAnswer: (app: AppRow, containers: readonly { id: string }[]) => Promise<boolean>
  /** Does the work while the other replicas have the visitors of a container. */
  withoutVisitors: (app: AppRow, container: Moved, work: (id: string) => Promise<void>) => Promise<void>
  /** How long to wait, since a server that is just back may be lost again. */
  spreadAfterMs: number
  now: () => Date
  log: Pick<Logger, 'info' | 'warn'>
}

/** After this a replica that came back to a shared server is moved once more. */
const AGAIN_AFTER_MS = 10 * 60_000

/**
 * Moves replicas apart that share a server since another one was lost: Swarm leaves them there when that one is back, and the next loss would
 * take all of them at once.
 */
export function createSpread(deps: Deps) {
  const { db, engine, instance, spreadAfterMs, now, log } = deps
  let crowdedSince = new Map<string, number>()
  const movedAt = new Map<string, number>()

  /** Moves nothing while a replica does not answer: the visitors may need all the others. */
  async function move(appId: number, { id, name, owner, replicas, taken }: Crowded): Promise<void> {
    const app = await findApp(db, appId)
    const all = replicas.map((each) => ({ id: each }))
    if (app?.wanted !== 'running' || !(await deps.doAnswer(app, all))) return
    log.info({ appId, container: name }, 'moving a replica to a server that has none of its app')
    movedAt.set(id, now().getTime())
    await deps.withoutVisitors(app, { id, owner, state: 'running' }, async () => await engine.apart.moveAway(id, taken))
  }

  return async function spread(): Promise<void> {
    const crowded = await engine.apart.crowded(instance)
    const at = now().getTime()
    crowdedSince = new Map(crowded.map(({ id }) => [id, crowdedSince.get(id) ?? at]))
    for (const [id, when] of movedAt) if (at - when >= AGAIN_AFTER_MS) movedAt.delete(id)
    const isDue = ({ id }: Crowded) => at - (crowdedSince.get(id) ?? at) >= spreadAfterMs && !movedAt.has(id)
    for (const each of crowded.filter(isDue)) {
      const { appId } = each.owner
      if (appId === null || (await deps.busyLanes()).has(appLane(appId))) continue
      await move(appId, each).catch((err: unknown) => log.warn({ appId, container: each.name, err }, 'a replica could not be moved'))
    }
  }
}

type Crowded = Awaited<ReturnType<Engine['apart']['crowded']>>[number]

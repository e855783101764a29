import { kindOf } from '../../domain/app-kinds.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import { poll } from '../../lib/retry.ts'
import { createTurns } from '../../lib/turns.ts'
import type { Answers } from './answers.ts'

type Restarted = Pick<ContainerSummary, 'id' | 'owner' | 'state'>
type Restart = (id: string) => Promise<void>
/** Where visitors of the live release are sent: the path is that of the health check, empty if listening is enough. */
export type VisitedPlace = { readonly port: number; readonly path: string }
type Deps = {
  answers: Answers
  /** By service; null is the app itself. */
  visitedPlaces: (app: AppRow) => Promise<ReadonlyMap<string | null, readonly VisitedPlace[]>>
  /** Whether it is still wanted: the app may have been stopped, or the container replaced. */
  mayRestart: (appId: number, owner: Restarted['owner']) => Promise<boolean>
  /** Does the work while the other replicas have the visitors of a container. */
  withoutVisitors: (appId: number, containerId: string, work: () => Promise<void>) => Promise<void>
  /** How long a container may take to answer again; the same as for a deployment. */
  healthDeadlineMs: number
}
type Visited = { places: readonly VisitedPlace[]; restart: Restart }
/** `hasOthers`: replicas beside these have the visitors meanwhile, also if it is only one. */
type Options = { hasOthers?: boolean }

const LOOK_MS = 200
const RUNS_ONLY = { port: null, path: '' }

/**
 * Restarts the containers of an app one after the other, each once the one before answers again: the others serve meanwhile. In a compose
 * app this applies to the replicas of each service that has visitors. All other services are restarted at once. Of several restarts of one
 * app, each waits for the one before.
 */
export function createRestartInTurn({ answers, visitedPlaces, mayRestart, withoutVisitors, healthDeadlineMs }: Deps) {
  const oneAtATime = createTurns<number>()

  async function inTurn(app: AppRow, all: readonly Restarted[], { places, restart }: Visited): Promise<void> {
    // first those that are down, so that they can take the visitors of the others
    for (const { id, owner } of all.toSorted((a, b) => Number(a.state === 'running') - Number(b.state === 'running'))) {
      const isWanted = async () => await mayRestart(app.id, owner)
      if (!(await isWanted())) return
      const isVisited = places.length > 0 && (owner.service === null || kindOf(app).hasServices)
      const asked = isVisited ? places : [RUNS_ONLY]
      const hasAnswered = async () => (await Promise.all(asked.map(async (place) => await answers(app, id, place)))).every(Boolean)
      const work = async () => {
        if (!(await isWanted())) return // its requests may have taken long to end
        await restart(id)
        const isOver = async () => (await hasAnswered()) || !(await isWanted())
        await poll(isOver, { until: Boolean, everyMs: LOOK_MS, limitMs: healthDeadlineMs })
      }
      await (isVisited ? withoutVisitors(app.id, id, work) : work())
    }
  }

  async function atOnce(app: AppRow, all: readonly Restarted[], restart: Restart): Promise<void> {
    const restartOne = async ({ id, owner }: Restarted) => ((await mayRestart(app.id, owner)) ? await restart(id) : undefined)
    await Promise.all(all.map(restartOne))
  }

  async function restartAll(app: AppRow, all: readonly Restarted[], restart: Restart, { hasOthers = false }: Options): Promise<void> {
    if (all.length < 2 && !hasOthers) return await atOnce(app, all, restart)
    const visited = await visitedPlaces(app)
    if (!kindOf(app).hasServices) return await inTurn(app, all, { places: visited.get(null) ?? [], restart })
    const services = Map.groupBy(all, ({ owner }) => owner.service)
    await Promise.all(
      [...services].map(async ([service, some]) => {
        const places = visited.get(service) ?? []
        await (places.length > 0 && some.length > 1 ? inTurn(app, some, { places, restart }) : atOnce(app, some, restart))
      }),
    )
  }

  return async function restartInTurn(app: AppRow, all: readonly Restarted[], restart: Restart, options: Options = {}): Promise<void> {
    await oneAtATime(app.id, async () => await restartAll(app, all, restart, options))
  }
}

export type RestartInTurn = ReturnType<typeof createRestartInTurn>

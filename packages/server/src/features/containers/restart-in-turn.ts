import { kindOf } from '../../domain/app-kinds.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import { poll } from '../../lib/retry.ts'
import type { Answers } from './answers.ts'

type Service = string | null
type Deps = {
  answers: Answers
  /** The ports that visitors of the live release are sent to, by service; null is the app itself. */
  portsOf: (app: AppRow) => Promise<ReadonlyMap<Service, readonly number[]>>
  /** Whether the app still wants it: it may be stopped or replaced meanwhile. */
  mayRestart: (appId: number, service: Service) => Promise<boolean>
  /** Does the work while the other replicas have the visitors of a container. */
  withoutVisitors: (appId: number, containerId: string, work: () => Promise<void>) => Promise<void>
}

type Restarted = Pick<ContainerSummary, 'id' | 'owner'>
type Restart = (id: string) => Promise<void>

const LOOK_MS = 200
const LONGEST_WAIT_MS = 20_000

/**
 * Restarts the containers of an app one after the other, each once the one before answers again: the others serve meanwhile. In a compose
 * app this applies to the replicas of each service that has visitors. All other services are restarted at once.
 */
export function createRestartInTurn({ answers, portsOf, mayRestart, withoutVisitors }: Deps) {
  async function inTurn(app: AppRow, all: readonly Restarted[], { ports, restart }: { ports: readonly number[]; restart: Restart }) {
    const hasAnswered = async (id: string, asked: readonly (number | null)[]) =>
      (await Promise.all(asked.map(async (port) => await answers(app, id, { port, path: '' })))).every(Boolean)
    for (const { id, owner } of all) {
      if (!(await mayRestart(app.id, owner.service))) return
      const isVisited = ports.length > 0 && (owner.service === null || kindOf(app).hasServices)
      const isOver = async () => (await hasAnswered(id, isVisited ? ports : [null])) || !(await mayRestart(app.id, owner.service))
      const work = async () => {
        await restart(id)
        await poll(isOver, { until: Boolean, everyMs: LOOK_MS, limitMs: LONGEST_WAIT_MS })
      }
      await (isVisited ? withoutVisitors(app.id, id, work) : work())
    }
  }

  const atOnce = async (all: readonly Restarted[], restart: Restart) =>
    void (await Promise.all(all.map(async ({ id }) => await restart(id))))

  return async function restartInTurn(app: AppRow, all: readonly Restarted[], restart: Restart): Promise<void> {
    if (all.length < 2) return await atOnce(all, restart)
    const ports = await portsOf(app)
    if (!kindOf(app).hasServices) return await inTurn(app, all, { ports: ports.get(null) ?? [], restart })
    const services = Map.groupBy(all, ({ owner }) => owner.service)
    await Promise.all(
      [...services].map(async ([service, some]) => {
        const own = ports.get(service) ?? []
        await (own.length > 0 && some.length > 1 ? inTurn(app, some, { ports: own, restart }) : atOnce(some, restart))
      }),
    )
  }
}

export type RestartInTurn = ReturnType<typeof createRestartInTurn>

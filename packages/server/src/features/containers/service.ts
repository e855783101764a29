import type { ContainerStatus } from '@berth/contract'
import { findDataMove } from '../../domain/app-data.ts'
import { kindOf } from '../../domain/app-kinds.ts'
import { setAppStatus, setWanted } from '../../domain/app-status.ts'
import { recordAudit } from '../../domain/audit.ts'
import { type AppCall, type Caller, isStaff } from '../../domain/caller.ts'
import { isAt, mainProcessName, processesWanted } from '../../domain/processes.ts'
import type { AppRow } from '../../domain/rows.ts'
import { setServiceStopped, setStoppedServices, stoppedServices } from '../../domain/stopped-services.ts'
import type { LivePlaces } from '../../domain/wanted-places.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import type { Engine } from '../../engine/engine.ts'
import type { StopInTime } from '../../engine/stop-in-time.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { limited } from '../../lib/limited.ts'
import { createLimiter } from '../../lib/limiter.ts'
import type { Step } from '../../lib/step.ts'
import type { Db, Tx } from '../../store/database.ts'
import { createAppLogs } from './app-logs.ts'
import type { LiveRelease } from './live-release.ts'
import { createLinePrefix, printerOf, withLogs } from './log-services.ts'
import { newestLines } from './newest-lines.ts'
import { statusOfProcesses, statusOfReplicas } from './replica-status.ts'
import type { RestartInTurn } from './restart-in-turn.ts'
import { mayRestart, statusesUnderWay } from './store.ts'
import { createUsage } from './usage.ts'
import { whenReachable } from './when-reachable.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'containers' | 'logs' | 'logBatches'>
  liveRelease: LiveRelease
  livePlaces: LivePlaces
  lastFailedLog: (appId: number, tail: number) => Promise<string>
  step: Step
  stopInTime: Pick<StopInTime, 'stop' | 'restart'>
  restartInTurn: RestartInTurn
  now: () => Date
  /** Called when the wanted state of an app was stored. */
  onWanted: () => void
  /** Called when its containers are in the wanted state. */
  onChanged: (appId: number) => void
}
type Verb = 'start' | 'stop' | 'restart'
type Asked = { verb: Verb; service?: string }
type LogsWanted = { service?: string; tail?: number; since?: string }

const DEFAULT_TAIL = 100
/** A page with many apps asks for all of them at once, and each asks the engine for its containers. */
const STATUS_LIMITS = { running: 32, runningPerKey: 8, waiting: 1000, waitingPerKey: 200, waitMs: 30_000 }
const TOO_MANY_STATUS = 'The status of too many apps is being read. Try again in a few seconds.'
/** Each uses a few megabytes for a moment, and blocks its slot for long if the engine is slow. */
const LOG_LIMITS = { running: 6, runningPerKey: 2, waiting: 200, waitingPerKey: 20, waitMs: 30_000 }
const TOO_MANY_LOGS = 'Too many logs are being read. Try again in a few seconds.'
/** Each may take as long as a container that ignores the stop signal, and the engine handles few at once. */
const VERB_LIMITS = { running: 16, runningPerKey: 4, waiting: 1000, waitingPerKey: 200, waitMs: 60_000 }
const TOO_MANY_VERBS = 'Too many apps are being started and stopped. Try again in a minute.'

/**
 * A release being replaced must not start again beside its successor, because they may share their data. And an app stopped during a
 * deployment would be running again at its end.
 */
async function refuseDuringDeployment(tx: Tx, appId: number, verb: Verb): Promise<void> {
  const underWay = await statusesUnderWay(tx, appId)
  const isInTheWay = verb === 'stop' ? underWay.length > 0 : underWay.includes('deploying')
  if (isInTheWay) throw new AppError('deployment_under_way')
  if (verb !== 'stop' && (await findDataMove(tx, appId)) !== undefined) throw new AppError('move_under_way')
}

/**
 * The containers that an action applies to. A stopped service stays stopped when its app is restarted, and a replica beyond the wanted
 * number is not started again: it is about to be removed, and its volume may be for one container only.
 */
async function containersFor(
  { liveRelease, livePlaces }: Pick<Deps, 'liveRelease' | 'livePlaces'>,
  app: AppRow,
  { verb, service }: Asked,
): Promise<ContainerSummary[]> {
  const { containers, processes } = (await liveRelease(app)) ?? { containers: [], processes: '[]' }
  if (containers.length === 0) throw new AppError('no_container')
  const { hasServices } = kindOf(app)
  const stopped = stoppedServices(app)
  const nameOf = ({ owner }: ContainerSummary) => owner.service ?? ''
  const places = hasServices ? [] : await livePlaces(app, { processes })
  const isSurplus = ({ owner }: ContainerSummary) => !hasServices && !places.some((place) => isAt(place, owner))
  const isLeftOut = (each: ContainerSummary) => verb !== 'stop' && (isSurplus(each) || (verb === 'restart' && stopped.has(nameOf(each))))
  if (service === undefined) return containers.filter((each) => !isLeftOut(each))
  const names = new Set([...containers.map(nameOf), ...stopped])
  if (!hasServices) throw fieldError('invalid_request', 'appId', 'must be a compose app: only those have services')
  if (!names.has(service)) throw fieldError('invalid_request', 'service', `must be one of ${[...names].toSorted().join(', ')}`)
  if (app.wanted === 'stopped') throw fieldError('invalid_request', 'appId', 'must be an app that is not stopped; start it first')
  return containers.filter((each) => nameOf(each) === service)
}

/** What is wanted of an app, or of one of its services. Returns whether something else was wanted before. */
async function writeWanted(tx: Tx, app: AppRow, { verb, service }: Asked): Promise<boolean> {
  if (service !== undefined) return await setServiceStopped(tx, app.id, { service, isStopped: verb === 'stop' })
  const isNew = await setWanted(tx, app.id, verb === 'stop' ? 'stopped' : 'running')
  return verb === 'start' ? (await setStoppedServices(tx, app.id, [])) || isNew : isNew
}

/**
 * Starts, stops and restarts the containers of the live release. The wanted state is stored first, so that reconcile repairs a crash in
 * between.
 */
export function createContainers(deps: Deps) {
  const { db, engine, step, now } = deps
  const verbLimiter = createLimiter(VERB_LIMITS)

  const EFFECTS = {
    start: async (id: string) => await engine.containers.startAgain(id),
    stop: deps.stopInTime.stop,
    restart: deps.stopInTime.restart,
  } satisfies Record<Verb, (id: string) => Promise<void>>

  /** Applies to all containers of an app, or to one service of a compose app. */
  async function apply(call: AppCall, asked: Asked): Promise<void> {
    await limited(verbLimiter, call.caller, TOO_MANY_VERBS, async () => await applyNow(call, asked))
  }

  async function applyNow({ caller, app, again }: AppCall, asked: Asked): Promise<void> {
    const { verb, service } = asked
    await whenReachable(async () => {
      const wanted = await containersFor(deps, app, asked)
      const options = { mayUseReserve: verb === 'stop' && (isStaff(caller) || ('part' as const)) }
      await step('db.wanted', async () => {
        await db.transaction(async (tx) => {
          await again(tx)
          await refuseDuringDeployment(tx, app.id, verb)
          const isNew = await writeWanted(tx, app, asked)
          if (verb === 'stop' && !isNew) return // a repeated stop frees nothing, so it must not write anything either
          const after = service === undefined ? {} : { after: { service } }
          await recordAudit(tx, now(), caller, { action: `container.${verb}`, subject: 'app', subjectId: app.id, ...after })
        }, options)
      })
      if (verb !== 'start') deps.onWanted() // visitors get the error page before the container stops
      const effect = async (id: string) => await step(`engine.${verb}`, async () => await EFFECTS[verb](id))
      if (verb === 'start') for (const { id } of wanted) await effect(id)
      else if (verb === 'restart') await deps.restartInTurn(app, wanted, effect)
      else await Promise.all(wanted.map(async ({ id }) => await effect(id))) // each may take minutes to end
      if (service === undefined)
        await step('db.app_status', async () => {
          const status = verb === 'stop' ? 'stopped' : 'running'
          await db.transaction(async (tx) => {
            if (verb !== 'restart' || (await mayRestart(tx, app.id))) await setAppStatus(tx, now(), app.id, { status, wanted: status })
          }, options)
        })
      deps.onChanged(app.id)
    })
  }

  const { liveRelease } = deps
  return {
    apply,
    status: createStatus(deps),
    logs: createNewestLogs(deps),
    wholeLogs: createAppLogs({ engine, liveRelease }),
    usage: createUsage({ engine, liveRelease, whenReachable }),
  }
}

/** How the containers of the live release are: those of the main process, or the services, and those of other processes. */
function createStatus(deps: Pick<Deps, 'engine' | 'liveRelease'>) {
  const { engine } = deps
  const limiter = createLimiter(STATUS_LIMITS)

  async function status(app: AppRow): Promise<ContainerStatus> {
    return await whenReachable(async () => {
      const { containers: all = [], processes = '[]' } = (await deps.liveRelease(app)) ?? {}
      const { hasServices } = kindOf(app)
      const [first, ...more] = hasServices ? all : all.filter(({ owner }) => owner.service === null)
      const others = statusOfProcesses(all, processesWanted(app, { processes }))
      if (first && more.length > 0 && !hasServices) return { ...statusOfReplicas([first, ...more], app.replicas), ...others }
      if (!first) return { state: 'not_deployed', status: 'No container yet', id: '', ...others }
      const details = await engine.containers.inspect(first.id)
      const { id, server } = first
      const seen = { state: details?.state ?? first.state, status: details?.status ?? first.status, id }
      return { ...seen, ...(server !== undefined && { server }), ...others }
    })
  }

  return async (caller: Pick<Caller, 'id'>, app: AppRow): Promise<ContainerStatus> =>
    await limited(limiter, caller, TOO_MANY_STATUS, async () => await status(app))
}

/** The last lines of all containers of the live release, or of the last failed one if there is no live release. */
function createNewestLogs(deps: Pick<Deps, 'engine' | 'liveRelease' | 'lastFailedLog'>) {
  const { engine } = deps
  const limiter = createLimiter(LOG_LIMITS)

  async function newestLog(app: AppRow, { service, tail = DEFAULT_TAIL, since }: LogsWanted): Promise<string> {
    return await whenReachable(async () => {
      const release = await deps.liveRelease(app)
      const newest = newestLines(tail)
      const main = mainProcessName(app)
      const shown = withLogs(release?.containers ?? [], { service }, main)
      const prefix = shown.length < 2 && service !== undefined ? () => '' : createLinePrefix(shown, main)
      for (const container of shown) {
        const details = await engine.containers.inspect(container.id)
        if (!details) continue
        const options = { tail, signal: AbortSignal.timeout(10_000), ...(since !== undefined && { since }) }
        for await (const { at, line } of engine.logs(details, options)) newest.add(at, `${prefix(printerOf(details.owner))}${line}`)
      }
      return release?.containers.length ? newest.text() : await deps.lastFailedLog(app.id, tail)
    })
  }

  return async (caller: Pick<Caller, 'id'>, app: AppRow, wanted: LogsWanted): Promise<{ logs: string }> => {
    return { logs: await limited(limiter, caller, TOO_MANY_LOGS, async () => await newestLog(app, wanted)) }
  }
}

export type Containers = ReturnType<typeof createContainers>

import { randomUUID } from 'node:crypto'
import { appLane } from '../domain/job-names.ts'
import { unwantedJobs } from '../domain/unwanted-jobs.ts'
import { createStopInTime, type StopInTime } from '../engine/stop-in-time.ts'
import { type Answers, createAnswers } from '../features/containers/answers.ts'
import { createLastFailedLog } from '../features/containers/last-failed-log.ts'
import { createLiveRelease } from '../features/containers/live-release.ts'
import { createRestartInTurn, type RestartInTurn } from '../features/containers/restart-in-turn.ts'
import { createContainers } from '../features/containers/service.ts'
import { mayRestart } from '../features/containers/store.ts'
import { createCancel } from '../features/deployments/cancel.ts'
import { createCompareDeployments } from '../features/deployments/history/compare.ts'
import { createIsAsPlanned } from '../features/deployments/release/compose/is-as-planned.ts'
import { createSettlePorts } from '../features/deployments/release/compose/settle-ports.ts'
import { createSharedPlans, type SharedPlans } from '../features/deployments/release/compose/shared-plans.ts'
import { probeTarget } from '../features/deployments/release/health/probes.ts'
import { createDeployments } from '../features/deployments/service.ts'
import { createMoveApp } from '../features/moves/run.ts'
import { createPorts, type Ports } from '../features/ports/service.ts'
import { withoutColours } from '../lib/clean-line.ts'
import { createRedactor } from '../lib/redact.ts'
import { lanesInQueue } from '../queue/queue-store.ts'
import { createWorker, type Worker } from '../queue/worker.ts'
import { createComeHome } from '../reconcile/come-home.ts'
import { createLeftVolumes } from '../reconcile/left-volumes.ts'
import { createLeftovers } from '../reconcile/leftovers.ts'
import { createReconcile } from '../reconcile/reconcile.ts'
import { createRemoval } from '../reconcile/remove-app.ts'
import { createRepair } from '../reconcile/repair.ts'
import { createSpread } from '../reconcile/spread.ts'
import { freeBytes } from '../store/disk-space.ts'
import { createDeploymentParts } from './deployment-parts.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'
import { jobHandlers } from './jobs.ts'
import { createLivePlaces, createLiveVolumes, createVisitedPlaces, liveSettings } from './live-settings.ts'
import type { RegistryParts } from './registry-parts.ts'
import type { SourceAccessParts } from './source-access-parts.ts'
import { createStackParts } from './stack-parts.ts'
import type { TrafficParts } from './traffic-parts.ts'
import { createVariableParts, type VariableParts } from './variable-parts.ts'

/** Everything that runs apps: deployments, their containers, the job queue, and the reconcile loop. */
export function createWorkParts(
  base: Foundation,
  { engine, git, fetchLfs, policy, firewalls }: EngineParts,
  others: { traffic: TrafficParts; sourceAccess: SourceAccessParts; registries: RegistryParts },
) {
  const { config, db, secrets, step, now } = base
  const { routing, onRowsChanged, onContainersChanged } = others.traffic
  const variables = createVariableParts(base)
  const ports = createPorts({ db, reservedPorts: base.reservedPorts })
  const sharedPlans = base.node && createSharedPlans({ db, secrets, dataDir: config.dataDir })
  const stopInTime = createStopInTime({ engine, graceSeconds: base.tuning.stopGraceSeconds })
  const deploying = createDeploymentParts({
    ...base,
    sharedPlans,
    engine,
    stop: stopInTime.stop,
    git,
    fetchLfs,
    ...others.sourceAccess,
    registries: others.registries,
    policy,
    hasEngineFirewall: firewalls.hasEngineFirewall,
    resolveEnvironment: variables.resolveEnvironment,
    buildSecretsOf: variables.buildSecrets.read,
    routes: routing,
    ports,
    retention: async () => base.settings().retention,
    onChanged: onContainersChanged,
  })
  const changes = { onRemoved: onRowsChanged, onChanged: onContainersChanged }
  const { removeLeftVolumes, ...data } = createDataJobs(base, { engine, deploying, routes: routing, ...changes })
  const worker = createJobWorker(base, jobHandlers({ runDeployment: deploying.runDeployment.run, restore: deploying.restore, ...data }))
  const deployments = createDeployments({
    db,
    now,
    step,
    logs: deploying.logs,
    resolveCommit: others.sourceAccess.newestCommit,
    stop: createCancel({ db, logs: deploying.logs, cancelLane: worker.cancelLane, step, now }),
  })
  const live = { deploying, sharedPlans, stopInTime, answers: createAnswers({ engine, instance: base.instance, probe: probeTarget }) }
  const running = createContainerParts(base, { engine, ...live, ...others.traffic })
  const loops = createReconcileParts(base, { engine, variables, ports, ...live, ...running, onChanged: onContainersChanged })
  return {
    ...variables,
    ports,
    deploying,
    disk: deploying.disk,
    compareDeployments: createCompareDeployments({ db, secrets }),
    worker,
    sharedPlans,
    deployments,
    ...running,
    ...loops,
    onAppsRemoved: createOnAppsRemoved(worker, onRowsChanged),
    removeLeftVolumes,
  }
}

export type WorkParts = ReturnType<typeof createWorkParts>

function createOnAppsRemoved({ cancelLane }: Pick<Worker, 'cancelLane'>, onRowsChanged: () => void) {
  return (appIds: readonly number[]): void => {
    for (const appId of appIds) cancelLane(appLane(appId))
    onRowsChanged()
  }
}

type DataDeps = Pick<EngineParts, 'engine'> &
  Pick<ReconcileDeps, 'deploying'> & { routes: TrafficParts['routing']; onRemoved: () => void; onChanged: (appId: number) => void }

/** What removes the data of apps, and what moves it. */
function createDataJobs(base: Foundation, { engine, deploying, routes, onRemoved, onChanged }: DataDeps) {
  const { restore, containers } = deploying
  const removal = { engine, onRemoved, dataDir: base.config.dataDir, liveVolumes: createLiveVolumes(base) }
  const { removeApp, removeVolume } = createRemoval({ ...base, ...removal })
  const freeHere = async () => await freeBytes((await engine.facts()).directory)
  const moveApp = createMoveApp({ ...base, engine, containers, freeHere, restore, routes, onChanged })
  const leavesVolumes =
    <Given>(work: (given: Given, signal: AbortSignal) => Promise<void>) =>
    async (given: Given, signal: AbortSignal) => {
      await work(given, signal)
      base.background.wake('volumes left on other servers')
    }
  return {
    removeApp: leavesVolumes(removeApp),
    removeVolume,
    moveApp: leavesVolumes(moveApp),
    removeLeftVolumes: createLeftVolumes({ ...base, engine }),
  }
}

function createJobWorker(base: Foundation, handlers: ReturnType<typeof jobHandlers>) {
  const { config, db, nudge, log, isDiskFull, node, fence, heartbeat } = base
  const slots = async () => base.settings().concurrency || config.workers
  const leasePrefix = node && `${node.name}/`
  return createWorker({
    db,
    nudge,
    log,
    now: heartbeat?.databaseNow ?? base.now,
    workerId: node ? `${leasePrefix}${node.bootId}` : randomUUID(),
    slots,
    isDiskFull,
    handlers,
    node: fence && leasePrefix ? { leasePrefix, fence, unwanted: async (jobs) => await unwantedJobs(db, jobs) } : undefined,
  })
}

type ContainerDeps = Pick<ReconcileDeps, 'engine' | 'deploying' | 'sharedPlans' | 'stopInTime' | 'answers'> &
  Pick<TrafficParts, 'routing' | 'onRowsChanged' | 'onContainersChanged'>

/** The live releases of apps: their containers, and the services of those that have several. */
function createContainerParts(base: Foundation, deps: ContainerDeps) {
  const { db, step, now } = base
  const { engine, deploying } = deps
  const liveRelease = createLiveRelease({ db, containers: deploying.containers })
  const restartInTurn = createRestartInTurn({
    answers: deps.answers,
    visitedPlaces: createVisitedPlaces(base),
    mayRestart: async (appId, owner) => await mayRestart(db, appId, owner),
    withoutVisitors: deps.routing.withoutVisitors,
    healthDeadlineMs: base.tuning.healthDeadlineMs,
  })
  const containers = createContainers({
    db,
    engine,
    liveRelease,
    livePlaces: createLivePlaces(base),
    lastFailedLog: createLastFailedLog({ db, keptOutput: deploying.keptOutput }),
    step,
    stopInTime: deps.stopInTime,
    restartInTurn,
    now,
    onWanted: deps.onRowsChanged,
    onChanged: deps.onContainersChanged,
  })
  const stacks = createStackParts(base, { engine, sharedPlans: deps.sharedPlans, liveRelease, lastLines: deploying.containers.lastLines })
  return { containers, liveRelease, restartInTurn, ...stacks }
}

type ReconcileDeps = {
  engine: EngineParts['engine']
  variables: Pick<VariableParts, 'secretsOf'>
  deploying: ReturnType<typeof createDeploymentParts>
  sharedPlans: SharedPlans | undefined
  ports: Ports
  stopInTime: StopInTime
  answers: Answers
  restartInTurn: RestartInTurn
  onChanged: (appId: number) => void
}

/** The loops that compare what should run, and where, with what runs. */
function createReconcileParts(base: Foundation, deps: ReconcileDeps) {
  const { engine, variables, deploying, sharedPlans, ports, stopInTime, answers, onChanged } = deps
  const { config, db, instance, log, now } = base
  const { dataDir } = config
  const redact = async (app: { id: number }, lines: readonly string[]) =>
    (await createRedactor(await variables.secretsOf(app.id)).linesInTurns(lines)).map(withoutColours)
  const busyLanes = async () => new Set(await lanesInQueue(db))
  const doAnswer = async (app: { id: number; project_id: number }, containers: readonly { id: string }[]) => {
    const { port = null, healthcheckPath: path = '' } = (await liveSettings(base, app.id)) ?? {}
    return (await Promise.all(containers.map(async ({ id }) => await answers(app, id, { port, path })))).every(Boolean)
  }
  const reconcile = createReconcile({
    db,
    engine,
    instance,
    now,
    log,
    busyLanes,
    lastLines: deploying.containers.lastLines,
    redact,
    repair: createRepair({ stopInTime, log }),
    comeHome: createComeHome({ engine, waitForServerMs: base.tuning.waitForServerMs, now, log }),
    sweep: createLeftovers({ db, engine, instance, dataDir, inImageTurn: deploying.inImageTurn, fetchPlan: sharedPlans?.fetch, log }).sweep,
    sweepEveryMs: base.tuning.reconcileMs,
    isAsPlanned: createIsAsPlanned({ dataDir, livePlaces: createLivePlaces(base), sharedPlans }),
    doAnswer,
    settlePorts: createSettlePorts({ dataDir, ports, sharedPlans }),
    restore: deploying.restoreLater,
    onChanged,
  })
  const spread = createSpread({
    db,
    engine,
    instance,
    busyLanes,
    doAnswer,
    withoutVisitors: async (app, container, work) => await deps.restartInTurn(app, [container], work, { hasOthers: true }),
    spreadAfterMs: base.tuning.spreadAfterMs,
    now,
    log,
  })
  return { reconcile, spread }
}

import type { Target } from '../../../../domain/routes.ts'
import { stoppedServices } from '../../../../domain/stopped-services.ts'
import type { ComposePlan } from '../../../../engine/compose/stack.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { appNetworkName, composeProjectName, projectNetworkName } from '../../../../engine/labels.ts'
import type { Tuning } from '../../../../lib/tuning.ts'
import type { Reader } from '../../../../store/database.ts'
import type { Ports } from '../../../ports/service.ts'
import type { KeptOutput } from '../../log/kept-output.ts'
import type { Context } from '../../run/stage.ts'
import { findActive } from '../../store.ts'
import type { AppContainers } from '../app-containers.ts'
import { refuseLostVolumes } from '../lost-volumes.ts'
import type { Launcher, Release } from '../release.ts'
import { createConverge } from './converge.ts'
import { dataMountsOf } from './data-mounts.ts'
import { listEndpoints } from './endpoint-store.ts'
import { rememberFilled } from './filled-volumes.ts'
import { createComposeHealth, type Reached } from './health.ts'
import type { CheckImages } from './images.ts'
import { createComposeOthers } from './other-containers.ts'
import { createWithOwnVolumes, withSameLabels } from './own-volumes.ts'
import { hasPlan, hostPortsOf, isPlanned, keepPlan, keptPlan, planDirectory, releaseLabels, routedServices, withOpenPorts } from './plan.ts'
import { takeFilesOver } from './plan-files.ts'
import { refuseNotAllowed } from './refuse-not-allowed.ts'
import { createRemoveOld, createStandIns } from './remove-old.ts'
import { replicasOf } from './replica.ts'
import { type ActivePlan, createRestoreLive, type RefuseLost } from './restore-live.ts'
import { createServiceFailure } from './service-failure.ts'
import type { SharedPlans } from './shared-plans.ts'
import { createStartService, type Wanted } from './start-service.ts'
import { createWaitFor } from './wait-for.ts'

type Deps = {
  db: Reader
  engine: Engine
  containers: AppContainers
  instance: string
  dataDir: string
  tuning: Tuning
  keptOutput: Pick<KeptOutput, 'keep'>
  ports: Pick<Ports, 'wantedOf' | 'keepOnly'>
  checkImages: CheckImages
  /** If there are several nodes. */
  sharedPlans: Pick<SharedPlans, 'store'> | undefined
}

const UNDO_MS = 120_000

/**
 * Runs an app as several containers, from the repository's compose file. The validated plan is stored, so that a rollback can run it again.
 * A routed service is started beside its predecessor if two of it can run at once; other services are replaced if they changed.
 */
export function createComposeLauncher(deps: Deps): Launcher {
  const { db, engine, instance, checkImages } = deps
  const serviceFailure = createServiceFailure(deps)
  const started = createStarted(deps, createComposeHealth({ ...deps, serviceFailure }))
  const others = createComposeOthers(deps)
  const directoryOf = (appId: number, deploymentId: number) => planDirectory(deps.dataDir, appId, deploymentId)
  const planOfActive = createPlanOfActive(db, directoryOf)
  const startService = createStartService({ ...deps, directoryOf })
  const waitFor = createWaitFor({ engine, serviceFailure })
  const converge = createConverge({ ...deps, others, startService, waitFor })
  const surplus = createStandIns(deps, others)
  const removeOld = createRemoveOld({ ...deps, others, converge, surplus, directoryOf })
  const withOwnVolumes = createWithOwnVolumes(deps)
  const refuseLost = createRefuseLost(deps)
  const takeBack = createRestoreLive({ ...deps, startService, waitFor, withOwnVolumes, refuseLost })

  async function start(context: Context): Promise<Release> {
    const { app, deployment, effect, ask, step, signal } = context
    const directory = directoryOf(app.id, deployment.id)
    const isKept = await hasPlan(directory) // the release that a rollback refers to may have been deleted since
    const source = isKept ? deployment.id : (deployment.release_of ?? deployment.id)
    const live = await planOfActive(app.id)
    if (live?.deploymentId === deployment.id) await refuseLost(context, live.plan)
    await effect('engine.network', async (until) => {
      await engine.networks.ensureProjectNetwork({ instance, projectId: app.project_id }, until)
      const owner = { instance, kind: 'network', projectId: app.project_id, appId: app.id } as const
      await engine.networks.ensure({ name: appNetworkName(instance, app.id), owner }, until)
    })
    const kept = await keptPlan(directoryOf(app.id, source))
    await checkImages(context, kept)
    const active = await activeWithVolumes(context)
    const wasLive = active?.deploymentId === deployment.id
    // the release that is live goes on as it is; a change of its open ports is for the next one
    const open = wasLive ? kept : await withWantedPorts(deps.ports, context, kept)
    const plan = await withOwnVolumes(context, open, { before: active?.plan })
    refuseNotAllowed({ instance, projectId: app.project_id, appId: app.id, deploymentId: deployment.id }, plan)
    const isData = await step('files.plan', async () => {
      await takeFilesOver(plan, { from: directoryOf(app.id, source), to: directory })
      if (active && active.deploymentId !== deployment.id) await keepPlan(directoryOf(app.id, active.deploymentId), active.plan)
      await keepPlan(directory, plan)
      const isFilled = await rememberFilled(directory, active?.plan)
      await deps.sharedPlans?.store(app.id, [deployment.id, active?.deploymentId])
      return isFilled
    })
    const beside = await ask(() => others.overlappingServices(context, plan))
    const stopped = wasLive ? stoppedServices(app) : new Set<string>() // a new release starts them all
    await converge(context, { plan, deploymentId: deployment.id, beside, isData, wasLive, stopped }, { run: effect, signal })
    return await started(context, plan, { stopped, beside })
  }

  /** While its containers still exist: volumes that an earlier version of Berth created are only named there. */
  async function activeWithVolumes(context: Context): Promise<ActivePlan | undefined> {
    const active = await planOfActive(context.app.id)
    if (!active) return undefined
    const filled = await withOwnVolumes(context, active.plan)
    return { ...active, plan: withSameLabels(active.plan, filled, active.deploymentId) }
  }

  async function undo(context: Context): Promise<void> {
    const active = await planOfActive(context.app.id)
    await context.effect('stack.undo', (signal) => takeBack(context, active, signal), AbortSignal.timeout(UNDO_MS))
    await deps.ports.keepOnly(context.app.id, async () => (active ? hostPortsOf(active.plan) : []))
  }

  return { retireOld: async () => undefined, start, surplus, removeOld, undo }
}

/** Throws if data is gone that a live release needs: before anything is created, because what is created would be empty. */
function createRefuseLost({ engine, instance }: Pick<Deps, 'engine' | 'instance'>): RefuseLost {
  return async function refuseLost(context, plan, until) {
    const mounts = dataMountsOf(plan, composeProjectName(instance, context.app.id), stoppedServices(context.app))
    await refuseLostVolumes({ engine, instance }, context, { mounts, ...(until && { until }) })
  }
}

/** The plan of the live release, if there is one. */
function createPlanOfActive(db: Reader, directoryOf: (appId: number, deploymentId: number) => string) {
  return async function planOfActive(appId: number): Promise<ActivePlan | undefined> {
    const active = await findActive(db, appId)
    if (!active || !(await hasPlan(directoryOf(appId, active.id)))) return undefined
    return { plan: await keptPlan(directoryOf(appId, active.id)), deploymentId: active.id }
  }
}

type Which = Pick<Wanted, 'stopped' | 'beside'>

/** A plan whose containers are running, as a release: its targets and its health checks. */
function createStarted(
  { db, engine, containers, instance }: Pick<Deps, 'db' | 'engine' | 'containers' | 'instance'>,
  healthOf: ReturnType<typeof createComposeHealth>,
) {
  return async function started(context: Context, plan: ComposePlan, { stopped, beside }: Which): Promise<Release> {
    const { app, deployment, config, ask } = context
    const labels = releaseLabels(plan, deployment.id)
    const numbers = new Map(plan.services.map((service) => [service.name, replicasOf(service, beside.has(service.name))]))
    const isThere = ({ owner }: ContainerSummary) =>
      isPlanned(labels, owner) && !stopped.has(owner.service ?? '') && numbers.get(owner.service ?? '')?.includes(owner.replica)
    const found = (await ask((signal) => containers.ofApp(app.id, signal))).filter(isThere)
    const main = plan.routedService === null ? [] : [{ service: plan.routedService, port: config.port }]
    const endpoints = [...main, ...(await listEndpoints(db, app.id)).map(({ service, port }) => ({ service, port: port ?? config.port }))]
    const reached = new Map<string, readonly Reached[]>()
    for (const service of routedServices(plan)) {
      const ports = new Set(endpoints.filter((endpoint) => endpoint.service === service).map(({ port }) => port))
      for (const { id } of found.filter(({ owner }) => owner.service === service)) {
        const ip = await ask((signal) => givenIp(id, app.project_id, signal))
        const targets = ip === undefined ? [] : [...ports].flatMap((port) => (port === null ? [] : [{ ip, port }]))
        if (targets.length > 0)
          reached.set(service, [...(reached.get(service) ?? []), { id, targets, hasPath: service === plan.routedService }])
      }
    }
    const routed = [...reached.values()].flat()
    const rest = found.filter(({ id }) => !routed.some((each) => each.id === id)).map(({ id }) => id)
    return { target: targetIn(reached, plan.routedService), ...healthOf(context, { routed, others: rest }) }
  }

  /** The assigned address, because a container that is just restarting has no current one. */
  async function givenIp(id: string, projectId: number, signal: AbortSignal): Promise<string | undefined> {
    const details = await engine.containers.inspect(id, signal)
    const network = projectNetworkName(instance, projectId)
    return details?.givenIps[network] ?? details?.ips[network]
  }
}

function targetIn(reached: ReadonlyMap<string, readonly Reached[]>, main: string | null): Target | undefined {
  const own = main === null ? undefined : reached.get(main)
  const [first, ...more] = own ?? [...reached.values()][0] ?? []
  const target = first?.targets[0]
  if (target === undefined) return undefined
  const ipsOf = (some: readonly Reached[]) => some.flatMap(({ targets }) => targets[0]?.ip ?? [])
  const services = new Map([...reached].map(([service, some]) => [service, ipsOf(some)]))
  return { ...target, ...(more.length > 0 && { others: ipsOf(more) }), services, ...(own === undefined && { isOfServices: true }) }
}

async function withWantedPorts(ports: Pick<Ports, 'wantedOf'>, { app, say }: Context, plan: ComposePlan): Promise<ComposePlan> {
  const wanted = await ports.wantedOf(app.id)
  for (const { service, target, protocol, port, address } of wanted)
    say(
      plan.services.some(({ name }) => name === service)
        ? `Port ${port}/${protocol} of the server leads to port ${target} of the service ${service}, at the address ${address}`
        : `Port ${port}/${protocol} of the server is not opened: the compose file has no service ${service}`,
    )
  return withOpenPorts(plan, wanted)
}

import type { StackService, StackServices } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import type { AppRow } from '../../domain/rows.ts'
import { stoppedServices } from '../../domain/stopped-services.ts'
import type { ComposePlan, StackService as Planned } from '../../engine/compose/stack.ts'
import type { ContainerDetails, ContainerSummary } from '../../engine/container-state.ts'
import type { Engine } from '../../engine/engine.ts'
import { isPulled } from '../../engine/image-names.ts'
import { outputSummary } from '../../lib/error-lines.ts'
import { limited } from '../../lib/limited.ts'
import { createLimiter } from '../../lib/limiter.ts'
import type { Reader } from '../../store/database.ts'
import type { LiveRelease } from '../containers/live-release.ts'
import type { MeasureContainer } from './measure.ts'
import { worstOf } from './service-state.ts'
import { hostsOf } from './store.ts'

type Deps = {
  db: Reader
  engine: { containers: Pick<Engine['containers'], 'inspect'> }
  liveRelease: LiveRelease
  /** The plan of a release; undefined if it has no services. */
  planOf: (appId: number, deploymentId: number) => Promise<ComposePlan | undefined>
  runsToItsEnd: (plan: ComposePlan, service: string) => boolean
  lastLines: (containerId: string, count: number) => Promise<string[]>
  measure: MeasureContainer
  whenReachable: <Result>(work: () => Promise<Result>) => Promise<Result>
}
type Host = { readonly host: string; readonly service: string }
type ServiceContext = { app: AppRow; plan: ComposePlan; containers: readonly ContainerSummary[]; hosts: readonly Host[] }

/** Each takes two engine requests per service, and several pages may show the same app. */
const LIMITS = { running: 16, runningPerKey: 4, waiting: 500, waitingPerKey: 50, waitMs: 30_000 }
const TOO_MANY = 'The services of too many apps are being read. Try again in a few seconds.'
/** The line with the reason is often far from the last one. */
const READ_LINES = 200
const SHOWN_CHARACTERS = 500

/** The current state of the services of a compose app's live release. Concurrent requests share the result. */
export function createStackServices(deps: Deps) {
  const { db, engine } = deps
  const limiter = createLimiter(LIMITS)
  const looking = new Map<number, Promise<StackServices>>()

  async function look(app: AppRow): Promise<StackServices> {
    const release = await deps.liveRelease(app)
    const plan = release && (await deps.planOf(app.id, release.deploymentId))
    if (!release || !plan) return { deploymentId: release?.deploymentId ?? null, services: [] }
    const context = { app, plan, containers: release.containers, hosts: await hostsOf(db, app.id) }
    return { deploymentId: release.deploymentId, services: await Promise.all(plan.services.map((service) => seen(service, context))) }
  }

  async function seen(service: Planned, { app, plan, containers, hosts }: ServiceContext): Promise<StackService> {
    const own = containers.filter(({ owner }) => owner.service === service.name)
    const found = (await Promise.all(own.map(async ({ id }) => await engine.containers.inspect(id)))).filter((each) => each !== null)
    const isStopped = app.wanted === 'stopped' || stoppedServices(app).has(service.name)
    const known = { isStopped, runsToItsEnd: deps.runsToItsEnd(plan, service.name) }
    const { details, state, reason } = worstOf(found.length === 0 ? [undefined] : found, known)
    const said = state === 'failed' && details ? outputSummary(await deps.lastLines(details.id, READ_LINES), SHOWN_CHARACTERS) : ''
    const running = found.filter((each) => each.state === 'running')
    const used = (await Promise.all(running.map(async ({ id }) => await deps.measure(id)))).filter((each) => each !== undefined)
    const sum = (amounts: readonly number[]) => (amounts.length === 0 ? null : amounts.reduce((all, each) => all + each, 0))
    return {
      ...shownOf(service, plan, hosts),
      ...shownDetails(details),
      state,
      reason: `${reason}${said}`,
      restarts: sum(found.map(({ restartCount }) => restartCount)) ?? 0,
      replicas: service.replicas ?? 1,
      runningReplicas: running.length,
      cpu: sum(used.map(({ cpu }) => cpu)),
      memory: sum(used.map(({ memory }) => memory)),
    }
  }

  return async function services(caller: Pick<Caller, 'id'>, app: AppRow): Promise<StackServices> {
    const running = looking.get(app.id)
    if (running) return await running
    const mine = limited(limiter, caller, TOO_MANY, async () => await deps.whenReachable(async () => await look(app)))
    looking.set(app.id, mine)
    try {
      return await mine
    } finally {
      looking.delete(app.id)
    }
  }
}

export type ListServices = ReturnType<typeof createStackServices>

type FromPlan = 'name' | 'image' | 'isBuilt' | 'memoryLimit' | 'volumes' | 'ports' | 'domains'

function shownOf(
  { name, image, shownImage = image, memoryBytes, mounts, ports }: Planned,
  plan: ComposePlan,
  hosts: readonly Host[],
): Pick<StackService, FromPlan> {
  const isBuilt = plan.builds.some((build) => build.image === image)
  return {
    name,
    image: isBuilt || isPulled(shownImage) ? '' : shownImage, // anybody who knows the name on this machine could use the image
    isBuilt,
    memoryLimit: memoryBytes ?? null,
    volumes: mounts.map(({ volume, path, readOnly = false }) => ({ name: volume, path, readOnly })),
    ports: ports.map(({ container, protocol, host, hostIp }) => ({ container, protocol, host, address: hostIp })),
    domains: hosts.filter(({ service }) => (service || plan.routedService) === name).map(({ host }) => host),
  }
}

const HEALTH = ['starting', 'healthy', 'unhealthy'] as const

function shownDetails(details: ContainerDetails | undefined) {
  return {
    status: details?.status ?? 'No container',
    health: HEALTH.find((word) => word === details?.health) ?? '',
    startedAt: details?.startedAt ?? null,
    containerId: details?.id ?? '',
  } as const
}

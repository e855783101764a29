import { access, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ComposePlan } from '../../../../engine/compose/policy.ts'
import { LABEL, sharedLabel } from '../../../../engine/labels.ts'
import { writeDurably } from '../../../../lib/write-durably.ts'
import { DeploymentFailure } from '../../run/stage.ts'

const FILE = 'plan.json'

/** The validated plan of a release, kept with it: environment values are in it, so it is ours alone. */
export async function keepPlan(directory: string, plan: ComposePlan): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeDurably(join(directory, FILE), JSON.stringify(plan))
}

export async function hasPlan(directory: string): Promise<boolean> {
  return await access(join(directory, FILE)).then(
    () => true,
    () => false,
  )
}

/** Where the plan of a release is kept. */
export function planDirectory(dataDir: string, appId: number, deploymentId: number): string {
  return join(dataDir, 'compose', `app-${appId}`, `d${deploymentId}`)
}

/**
 * The plan of an earlier release, labelled for the deployment that runs it now. Where a service has the port, the others go on from one
 * release to the next for as long as nothing about them changes: a database is not started anew because the app in front of it is.
 */
export async function keptPlan(directory: string, deploymentId: number): Promise<ComposePlan> {
  const plan = JSON.parse(await readFile(join(directory, FILE), 'utf8')) as ComposePlan // written by keepPlan alone
  return changed(plan, ({ services }) => {
    for (const [name, service] of Object.entries(services)) {
      const isOwn = plan.routedService === null || name === plan.routedService
      service.labels = { ...service.labels, [LABEL.deployment]: String(isOwn ? deploymentId : '') }
      if (!isOwn) service.labels[LABEL.deployment] = sharedLabel(JSON.stringify(service))
    }
  })
}

/** What each service of a labelled plan says whose it is. */
export function deploymentLabels(plan: ComposePlan): Map<string, string | undefined> {
  return new Map(Object.entries(modelOf(plan).services).map(([name, { labels }]) => [name, labels?.[LABEL.deployment]]))
}

/** The services that go on from one release to the next. `alone` where one of them depends on the one that does not. */
export function sharedServices(plan: ComposePlan): { services: string[]; alone: boolean } {
  const shared = plan.services.filter((name) => name !== plan.routedService)
  const needsRouted = (name: string) => plan.routedService !== null && dependenciesOf(plan, name).has(plan.routedService)
  return { services: shared, alone: shared.some(needsRouted) }
}

/** What each service runs from. */
export function imagesOf(plan: ComposePlan): { service: string; image: string; platform?: string | undefined }[] {
  return Object.entries(modelOf(plan).services).flatMap(([service, { image, platform }]) =>
    image === undefined ? [] : [{ service, image, platform }],
  )
}

/** The service that has the port. `alone` where it waits for nothing: services that have ended are not run once more for it then. */
export function routedOf(plan: ComposePlan): { service: string; image: string; alone: boolean } | undefined {
  const service = plan.routedService
  const image = modelOf(plan).services[service ?? '']?.image
  if (service === null || image === undefined) return undefined
  return { service, image, alone: ![...dependenciesOf(plan, service).values()].includes('service_healthy') }
}

/**
 * Whether the service that has the port can be there twice for a while: not with data of its own, nor with a port of the machine, nor
 * after something that must come to its end first.
 */
export function canBeTwice(plan: ComposePlan): boolean {
  const routed = modelOf(plan).services[plan.routedService ?? '']
  if (routed === undefined || plan.routedService === null) return false
  const waitsForAnEnd = [...dependenciesOf(plan, plan.routedService).values()].includes('service_completed_successfully')
  return routed.volumes === undefined && routed.ports === undefined && !waitsForAnEnd
}

/** The ports of the machine that the plan publishes, written by planCompose as `[address:]host:container/protocol`. */
export function hostPortsOf(plan: ComposePlan): { port: number; protocol: 'tcp' | 'udp' }[] {
  return Object.values(modelOf(plan).services).flatMap(({ ports = [] }) =>
    ports.map((entry) => {
      const [, port = '0', protocol] = /(\d+):\d+\/(tcp|udp)$/.exec(entry) ?? []
      return { port: Number(port), protocol: protocol === 'udp' ? 'udp' : 'tcp' } as const
    }),
  )
}

/** Ends the deployment where a port of the machine belongs to another app. */
export function refuseTaken(taken: { port: number; protocol: string } | undefined): void {
  if (taken !== undefined)
    throw new DeploymentFailure(
      `Port ${taken.port}/${taken.protocol} of this machine belongs to another app. Publish another port, or none: visitors come through the edge.`,
    )
}

/** What a service depends on, and on which condition. */
function dependenciesOf(plan: ComposePlan, name: string): Map<string, string> {
  const given = modelOf(plan).services[name]?.depends_on ?? []
  if (Array.isArray(given)) return new Map(given.map((other) => [other, 'service_started']))
  return new Map(Object.entries(given).map(([other, { condition }]) => [other, condition]))
}

/** The address that the routed service was given among the containers of its project. */
export function addressOf(plan: ComposePlan): string | undefined {
  return modelOf(plan).services[plan.routedService ?? '']?.networks.project?.ipv4_address
}

export function withAddress(plan: ComposePlan, address: string): ComposePlan {
  return changed(plan, ({ services }) => {
    const endpoint = services[plan.routedService ?? '']?.networks.project
    if (endpoint) endpoint.ipv4_address = address
  })
}

type Service = {
  image?: string
  platform?: string
  labels?: Record<string, string>
  volumes?: unknown[]
  ports?: string[]
  depends_on?: string[] | Record<string, { condition: string }>
  networks: { project?: { ipv4_address?: string } }
}
type Model = { services: Record<string, Service> }

function modelOf(plan: ComposePlan): Model {
  return JSON.parse(plan.file) as Model // written by planCompose alone
}

function changed(plan: ComposePlan, change: (model: Model) => void): ComposePlan {
  const model = modelOf(plan)
  change(model)
  return { ...plan, file: `${JSON.stringify(model, null, 2)}\n` }
}

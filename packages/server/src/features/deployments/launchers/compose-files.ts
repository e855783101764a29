import { access, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ComposePlan } from '../../../engine/compose-policy.ts'
import { LABEL, SHARED } from '../../../engine/labels.ts'
import { writeDurably } from '../../../lib/write-durably.ts'

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

/**
 * The plan of an earlier release, labelled for the deployment that runs it now. Where a service has the port, the others go on from one
 * release to the next for as long as nothing about them changes: a database is not started anew because the app in front of it is.
 */
export async function keptPlan(directory: string, deploymentId: number): Promise<ComposePlan> {
  const plan = JSON.parse(await readFile(join(directory, FILE), 'utf8')) as ComposePlan // written by keepPlan alone
  return changed(plan, ({ services }) => {
    for (const [name, service] of Object.entries(services)) {
      const isShared = plan.routedService !== null && name !== plan.routedService
      service.labels = { ...service.labels, [LABEL.deployment]: isShared ? SHARED : String(deploymentId) }
    }
  })
}

/** The services that go on from one release to the next. `alone` where one of them depends on the one that does not. */
export function sharedServices(plan: ComposePlan): { services: string[]; alone: boolean } {
  const { services } = modelOf(plan)
  const shared = plan.services.filter((name) => name !== plan.routedService)
  const needs = (name: string) => services[name]?.depends_on ?? []
  const needsRouted = (name: string) => plan.routedService !== null && namesOf(needs(name)).includes(plan.routedService)
  return { services: shared, alone: shared.some(needsRouted) }
}

function namesOf(dependencies: string[] | Record<string, unknown>): string[] {
  return Array.isArray(dependencies) ? dependencies : Object.keys(dependencies)
}

/** Whether the service that has the port can be there twice for a while: not with data of its own, nor with a port of the machine. */
export function canBeTwice(plan: ComposePlan): boolean {
  const routed = modelOf(plan).services[plan.routedService ?? '']
  return routed !== undefined && routed.volumes === undefined && routed.ports === undefined
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
  labels?: Record<string, string>
  volumes?: unknown[]
  ports?: unknown[]
  depends_on?: string[] | Record<string, unknown>
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

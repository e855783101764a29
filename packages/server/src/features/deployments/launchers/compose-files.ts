import { access, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ComposePlan } from '../../../engine/compose-policy.ts'
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

/** The plan of an earlier release, carrying the label of the deployment that runs it now. */
export async function keptPlan(directory: string, label: { name: string; value: string }): Promise<ComposePlan> {
  const plan = JSON.parse(await readFile(join(directory, FILE), 'utf8')) as ComposePlan // written by keepPlan alone
  return changed(plan, ({ services }) => {
    for (const service of Object.values(services)) service.labels = { ...service.labels, [label.name]: label.value }
  })
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

type Service = { labels?: Record<string, string>; networks: { project?: { ipv4_address?: string } } }
type Model = { services: Record<string, Service> }

function modelOf(plan: ComposePlan): Model {
  return JSON.parse(plan.file) as Model // written by planCompose alone
}

function changed(plan: ComposePlan, change: (model: Model) => void): ComposePlan {
  const model = modelOf(plan)
  change(model)
  return { ...plan, file: `${JSON.stringify(model, null, 2)}\n` }
}

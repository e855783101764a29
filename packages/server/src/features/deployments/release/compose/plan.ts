import { access, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parsePlan } from '../../../../engine/compose/kept-plan.ts'
import type { ComposePlan, StackService } from '../../../../engine/compose/stack.ts'
import { isContentVolume } from '../../../../engine/compose/volume-names.ts'
import { type Owner, sharedLabel } from '../../../../engine/labels.ts'
import { writeDurably } from '../../../../lib/write-durably.ts'
import { DeploymentFailure } from '../../run/stage.ts'

const FILE = 'plan.json'
const LONGEST_PLAN = 4 * 1024 ** 2
/** Each costs time whenever the plan is read or compared, however short it is. */
const MOST_VALUES = 10_000

export function refuseTooLong(plan: ComposePlan): void {
  textOf(plan)
}

function textOf(plan: ComposePlan): string {
  if (valuesIn(plan) > MOST_VALUES)
    throw new DeploymentFailure(
      `The compose file has more than ${MOST_VALUES.toLocaleString('en')} values with all its variables. Use fewer variables or services.`,
    )
  const text = JSON.stringify(plan)
  if (text.length <= LONGEST_PLAN) return text
  throw new DeploymentFailure(
    `The compose file is longer than ${LONGEST_PLAN / 1024 ** 2} MiB with all its variables and files. Use fewer or shorter ones.`,
  )
}

/** All texts, numbers and flags, at any depth. Counting ends soon after there are too many. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 0
  for (const each of Object.values(value)) {
    count += valuesIn(each)
    if (count > MOST_VALUES) break
  }
  return count
}

/** Stores the validated plan of a release. It contains environment values, so only Berth can read it. */
export async function keepPlan(directory: string, plan: ComposePlan): Promise<void> {
  const text = textOf(plan)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeDurably(join(directory, FILE), text)
}

export async function hasPlan(directory: string): Promise<boolean> {
  return await access(join(directory, FILE)).then(
    () => true,
    () => false,
  )
}

export async function keptPlan(directory: string): Promise<ComposePlan> {
  return parsePlan(await readFile(join(directory, FILE), 'utf8'))
}

/** Where the plan of a release is stored. */
export function planDirectory(dataDir: string, appId: number, deploymentId: number): string {
  return join(dataDir, 'compose', `app-${appId}`, `d${deploymentId}`)
}

/** The services that visitors reach: the one with the app's port, and those with their own domains. */
export function routedServices({ routedService, alsoRouted = [] }: Pick<ComposePlan, 'routedService' | 'alsoRouted'>): ReadonlySet<string> {
  return new Set([...(routedService === null ? [] : [routedService]), ...alsoRouted])
}

/** Whether another service waits until this one has completed. */
export function runsToItsEnd(plan: ComposePlan, name: string): boolean {
  return plan.services.some(({ dependsOn }) =>
    dependsOn.some(({ service, condition }) => service === name && condition === 'service_completed_successfully'),
  )
}

/**
 * The label that says which release a container belongs to. If a service is routed, the other services are shared by releases until their
 * definition changes, so that a database is not restarted whenever the app is deployed. A service that runs once, such as a migration, runs
 * in every release.
 */
function releaseLabel(plan: ComposePlan, service: StackService, deploymentId: number): string {
  const { dependsOn: _order, definition, replicas: _number, ...container } = service
  const routed = routedServices(plan)
  if (routed.size === 0 || routed.has(service.name)) return String(deploymentId)
  if (definition !== undefined) return definition
  return runsToItsEnd(plan, service.name) ? String(deploymentId) : sharedLabel(JSON.stringify(container))
}

/** The release label of the container of each service. */
export function releaseLabels(plan: ComposePlan, deploymentId: number): Map<string, string> {
  return new Map(plan.services.map((service) => [service.name, releaseLabel(plan, service, deploymentId)]))
}

/** Whether a container with these labels is part of the plan. */
export function isPlanned(labels: ReadonlyMap<string, string>, { service, deploymentId, definition }: Owner): boolean {
  return labels.get(service ?? '') === (definition ?? String(deploymentId))
}

/**
 * Whether two releases of a service can run at once: not if it has data, or if it waits for another service to complete. A port of the
 * machine moves to the new one when the old one is gone.
 */
export function canBeTwice(plan: ComposePlan, service: string): boolean {
  const routed = plan.services.find(({ name }) => name === service)
  if (routed === undefined) return false
  const waitsForAnEnd = routed.dependsOn.some(({ condition }) => condition === 'service_completed_successfully')
  return routed.mounts.every(({ volume }) => isContentVolume(volume)) && !waitsForAnEnd
}

/** Whether a volume belongs to the plan. */
export function volumesIn(plan: ComposePlan | undefined): (volume: string) => boolean {
  const names = new Set(plan?.services.flatMap(({ mounts }) => mounts.map(({ volume }) => volume)))
  return (volume) => names.has(volume)
}

/** The ports of the machine that are open while the plan runs. */
export function hostPortsOf(plan: ComposePlan): { port: number; protocol: 'tcp' | 'udp' }[] {
  return plan.services.flatMap(({ ports }) => ports.map(({ host, protocol }) => ({ port: host, protocol })))
}

type OpenPort = {
  readonly service: string
  readonly target: number
  readonly protocol: 'tcp' | 'udp'
  readonly port: number
  readonly address: string
}

/** A plan with the ports that somebody wants open now, whatever was open when it was made. */
export function withOpenPorts(plan: ComposePlan, open: readonly OpenPort[]): ComposePlan {
  const portsOf = (name: string) =>
    open
      .filter(({ service }) => service === name)
      .map(({ target, protocol, port, address }) => ({ host: port, hostIp: address, container: target, protocol }))
  return { ...plan, services: plan.services.map((service) => ({ ...service, ports: portsOf(service.name) })) }
}

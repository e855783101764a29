import { hash } from 'node:crypto'

/** Labels and names of everything that we make in the engine. They come from ids alone: no user text ever names a thing. */
export const LABEL = {
  instance: 'berth.instance',
  kind: 'berth.kind',
  app: 'berth.app',
  project: 'berth.project',
  deployment: 'berth.deployment',
  service: 'berth.service',
} as const

/**
 * In place of a deployment: a service of a compose app that goes on from one release to the next, for as long as it is defined alike.
 */
export function sharedLabel(definition: string): string {
  return `shared-${hash('sha256', definition, 'hex').slice(0, 12)}`
}

export function isShared(labels: Readonly<Record<string, string>>): boolean {
  return labels[LABEL.deployment]?.startsWith('shared-') ?? false
}

const COMPOSE_LABEL = 'com.docker.compose'
/** What Compose calls the project that a container belongs to. */
export const COMPOSE_PROJECT_LABEL = `${COMPOSE_LABEL}.project`

type Kind = 'app' | 'database' | 'compose' | 'edge' | 'network' | 'volume'

export type Owner = {
  readonly instance: string
  readonly kind: Kind
  readonly projectId?: number
  readonly appId?: number
  readonly deploymentId?: number
  readonly service?: string
}

/**
 * Compose knows its containers by these alone, and a container takes over the labels of its image: whoever wrote a Dockerfile could put a
 * container of theirs into another app's Compose project. Empty ones of ours win over the image's.
 */
export const NOT_COMPOSE: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'project',
    'service',
    'oneoff',
    'container-number',
    'config-hash',
    'version',
    'project.config_files',
    'project.working_dir',
    'image',
    'slug',
  ].map((key) => [`${COMPOSE_LABEL}.${key}`, '']),
)

const INSTANCE = /^[a-z0-9]{1,24}$/

export function labelsOf(owner: Owner): Record<string, string> {
  return {
    [LABEL.instance]: checkedInstance(owner.instance),
    [LABEL.kind]: owner.kind,
    ...(owner.projectId === undefined ? {} : { [LABEL.project]: id(owner.projectId) }),
    ...(owner.appId === undefined ? {} : { [LABEL.app]: id(owner.appId) }),
    ...(owner.deploymentId === undefined ? {} : { [LABEL.deployment]: id(owner.deploymentId) }),
    ...(owner.service === undefined ? {} : { [LABEL.service]: owner.service }),
  }
}

/** Whether a thing in the engine is this instance's: asked before anything is stopped or removed. */
export function isOurs(labels: Readonly<Record<string, string>>, instance: string): boolean {
  return labels[LABEL.instance] === instance
}

/** Whether a container is part of a release: its own, or shared by all releases of its app. */
export function isOfRelease(labels: Readonly<Record<string, string>>, deploymentId: number): boolean {
  return isShared(labels) || idFrom(labels, 'deployment') === deploymentId
}

/** The number in an id label, or null where the label is missing or not ours. */
export function idFrom(labels: Readonly<Record<string, string>>, label: 'app' | 'project' | 'deployment'): number | null {
  const value = labels[LABEL[label]]
  return value !== undefined && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : null
}

export function containerName(instance: string, appId: number, deploymentId: number): string {
  return `berth-${checkedInstance(instance)}-app-${id(appId)}-d${id(deploymentId)}`
}

/** Under this the builds of one project share their cache, and nobody else's. */
export function buildCacheScope(instance: string, projectId: number): string {
  return `berth-${hash('sha256', `${checkedInstance(instance)}/${id(projectId)}`, 'hex').slice(0, 24)}`
}

export function volumeName(instance: string, appId: number): string {
  return `berth-${checkedInstance(instance)}-app-${id(appId)}-volume`
}

export function projectNetworkName(instance: string, projectId: number): string {
  return `berth-${checkedInstance(instance)}-project-${id(projectId)}`
}

export function appNetworkName(instance: string, appId: number): string {
  return `berth-${checkedInstance(instance)}-app-${id(appId)}-network`
}

export function composeProjectName(instance: string, appId: number): string {
  return `berth-${checkedInstance(instance)}-app-${id(appId)}`
}

function id(value: number): string {
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`not an id: ${value}`)
  return String(value)
}

function checkedInstance(instance: string): string {
  if (!INSTANCE.test(instance)) throw new Error(`not an instance name: ${JSON.stringify(instance)}`)
  return instance
}

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

/** Of the edge's container: how it was made. */
export const FINGERPRINT_LABEL = 'berth.fingerprint'

const COMPOSE_LABEL = 'com.docker.compose'
type Kind = 'app' | 'database' | 'compose' | 'edge' | 'network' | 'volume'

/** For whom a thing is made. */
export type Maker = {
  readonly instance: string
  readonly kind: Kind
  readonly projectId?: number
  readonly appId?: number
  readonly deploymentId?: number
  readonly service?: string
}

/** Whose a thing in the engine is, by what its labels say; null where they say nothing, or not in our words. */
export type Owner = {
  readonly instance: string | null
  readonly projectId: number | null
  readonly appId: number | null
  /** `shared` is a service of a compose app that goes on from one release to the next. */
  readonly deploymentId: number | 'shared' | null
  /** How a shared service is defined, as `sharedLabel` says it. */
  readonly definition: string | null
  readonly service: string | null
}
type Labels = Readonly<Record<string, string>>

/**
 * Compose knows its containers by these alone, and a container takes over the labels of its image: whoever wrote a Dockerfile could put a
 * container of theirs into a Compose project that somebody else runs on the machine. Empty ones of ours win over the image's.
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

export function labelsOf(owner: Maker): Record<string, string> {
  return {
    [LABEL.instance]: checkedInstance(owner.instance),
    [LABEL.kind]: owner.kind,
    ...(owner.projectId === undefined ? {} : { [LABEL.project]: id(owner.projectId) }),
    ...(owner.appId === undefined ? {} : { [LABEL.app]: id(owner.appId) }),
    ...(owner.deploymentId === undefined ? {} : { [LABEL.deployment]: id(owner.deploymentId) }),
    ...(owner.service === undefined ? {} : { [LABEL.service]: owner.service }),
  }
}

/** What to look for in a list of the engine: everything of an instance, of a project, of an app, or of a deployment. */
export function ownedBy(owner: Pick<Maker, 'instance' | 'projectId' | 'appId' | 'deploymentId'>): Record<string, string> {
  const { [LABEL.kind]: _kind, ...labels } = labelsOf({ ...owner, kind: 'app' })
  return labels
}

export function ownerOf(labels: Labels): Owner {
  const release = labels[LABEL.deployment] ?? ''
  const isShared = release.startsWith('shared-')
  return {
    instance: labels[LABEL.instance] ?? null,
    projectId: idFrom(labels[LABEL.project]),
    appId: idFrom(labels[LABEL.app]),
    deploymentId: isShared ? 'shared' : idFrom(release),
    definition: isShared ? release : null,
    service: labels[LABEL.service] ?? null,
  }
}

/** Whether a container is part of a release: its own, or shared by all releases of its app. */
export function isOfRelease({ deploymentId }: Owner, wanted: number): boolean {
  return deploymentId === 'shared' || deploymentId === wanted
}

function idFrom(value: string | undefined): number | null {
  return value !== undefined && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : null
}

export function containerName(instance: string, appId: number, deploymentId: number): string {
  return `berth-${checkedInstance(instance)}-app-${id(appId)}-d${id(deploymentId)}`
}

/** One container of a compose app, by whose it is: a deployment and a service, or how a shared service is defined. */
export function stackContainerName(instance: string, appId: number, { release, service }: { release: string; service: string }): string {
  const word = hash('sha256', service, 'hex').slice(0, 12)
  return `berth-${checkedInstance(instance)}-app-${id(appId)}-${/^\d+$/.test(release) ? `d${release}` : release}-${word}`
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

/** What the names of a compose app's volumes begin with: the project that Compose kept them under in earlier versions. */
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

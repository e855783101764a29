import { hash } from 'node:crypto'

/** Labels and names of everything that we create in the engine. They are made from ids only, never from user text. */
export const LABEL = {
  instance: 'berth.instance',
  kind: 'berth.kind',
  app: 'berth.app',
  project: 'berth.project',
  deployment: 'berth.deployment',
  service: 'berth.service',
  replica: 'berth.replica',
} as const

/**
 * Used instead of a deployment for a service of a compose app that is kept across releases as long as its definition does not change.
 */
export function sharedLabel(definition: string): string {
  return `shared-${hash('sha256', definition, 'hex').slice(0, 12)}`
}

/**
 * The replica number of a container that serves in place of the first one of its service, until the port of the machine that the first one
 * needs is free.
 */
export const STAND_IN = 1000

/** On the edge's container: the hash of its specification. */
export const FINGERPRINT_LABEL = 'berth.fingerprint'

/** On a service with data: when Berth last started it again after it had ended. */
export const STARTS_LABEL = 'berth.starts'

/**
 * On a container that `lent-container.ts` makes beside the one it is for, whose other labels it has: what it is used for. On all others it
 * is empty, because a container inherits the labels of its image.
 */
export const LENT_LABEL = 'berth.lent'

const COMPOSE_LABEL = 'com.docker.compose'
type Kind = 'app' | 'database' | 'compose' | 'edge' | 'network' | 'volume' | 'file' | 'agent' | 'edge-agent' | 'check'

/** The owner of something we create. */
export type Maker = {
  readonly instance: string
  readonly kind: Kind
  readonly projectId?: number
  readonly appId?: number
  readonly deploymentId?: number
  readonly service?: string
  /** From 1 on. */
  readonly replica?: number
}

/** The owner of something in the engine according to its labels; null if it has none of ours. */
export type Owner = {
  readonly instance: string | null
  readonly projectId: number | null
  readonly appId: number | null
  /** `shared` is a service of a compose app that is kept across releases. */
  readonly deploymentId: number | 'shared' | null
  /** The definition of a shared service, as `sharedLabel` makes it. */
  readonly definition: string | null
  readonly service: string | null
  /** Which of several containers that do the same, from 1 on. */
  readonly replica: number
}
type Labels = Readonly<Record<string, string>>

/**
 * Compose finds its containers only by these labels, and a container inherits the labels of its image: a Dockerfile could add a container
 * to a Compose project that somebody else runs on the machine. Our empty labels override those of the image.
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

const APP_VOLUME = /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/
const INSTANCE = /^[a-z0-9]{1,24}$/

export function labelsOf(owner: Maker): Record<string, string> {
  return {
    [LABEL.instance]: checkedInstance(owner.instance),
    [LABEL.kind]: owner.kind,
    ...(owner.projectId === undefined ? {} : { [LABEL.project]: id(owner.projectId) }),
    ...(owner.appId === undefined ? {} : { [LABEL.app]: id(owner.appId) }),
    ...(owner.deploymentId === undefined ? {} : { [LABEL.deployment]: id(owner.deploymentId) }),
    ...(owner.service === undefined ? {} : { [LABEL.service]: owner.service }),
    ...(owner.replica === undefined ? {} : { [LABEL.replica]: id(owner.replica) }),
  }
}

/** The labels of a volume of an app. */
export function volumeLabels({
  instance,
  projectId,
  appId,
}: Required<Pick<Maker, 'instance' | 'projectId' | 'appId'>>): Record<string, string> {
  return labelsOf({ instance, kind: 'volume', projectId, appId })
}

/** Label filters for everything of an instance, a project, an app or a deployment. */
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
    service: labels[LABEL.service] || null,
    replica: idFrom(labels[LABEL.replica]) ?? 1,
  }
}

/** Whether a container is part of a release: its own, or shared by all releases of its app. */
export function isOfRelease({ deploymentId }: Pick<Owner, 'deploymentId'>, wanted: number): boolean {
  return deploymentId === 'shared' || deploymentId === wanted
}

function idFrom(value: string | undefined): number | null {
  return value !== undefined && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : null
}

/** The first replica has the name that a single container had from the beginning. */
export function containerName(instance: string, appId: number, deploymentId: number, replica = 1): string {
  return `berth-${checkedInstance(instance)}-app-${id(appId)}-d${id(deploymentId)}${replica === 1 ? '' : `-r${id(replica)}`}`
}

/** The name of a container of another process than the main one. */
export function processContainerName(release: string, { process, replica }: { process: string; replica: number }): string {
  return `${release}-p${hash('sha256', process, 'hex').slice(0, 12)}${replica === 1 ? '' : `-r${id(replica)}`}`
}

/** The name of one container of a compose app: by deployment and service, or by the definition of a shared service. */
export function stackContainerName(
  instance: string,
  appId: number,
  { release, service, replica = 1 }: { release: string; service: string; replica?: number },
): string {
  const word = hash('sha256', service, 'hex').slice(0, 12)
  const which = replica === 1 ? word : `${word}-r${id(replica)}`
  return `berth-${checkedInstance(instance)}-app-${id(appId)}-${/^\d+$/.test(release) ? `d${release}` : release}-${which}`
}

/** The cache scope that the builds of one project share. */
export function buildCacheScope(instance: string, projectId: number): string {
  return `berth-${hash('sha256', `${checkedInstance(instance)}/${id(projectId)}`, 'hex').slice(0, 24)}`
}

export function volumeName(instance: string, appId: number): string {
  return `berth-${checkedInstance(instance)}-app-${id(appId)}-volume`
}

/** The engine's name for a volume in the settings of an app. The contract says what a volume may be called, and this checks it again. */
export function appVolumeName(instance: string, appId: number, volume: string): string {
  if (!APP_VOLUME.test(volume)) throw new Error(`not the name of a volume: ${JSON.stringify(volume)}`)
  return `${volumeName(instance, appId)}-${volume}`
}

/** Whether it is the name of a volume of that app. Other servers say what they have, and could say anything. */
export function isVolumeOf(name: string, { instance, appId }: { instance: string; appId: number }): boolean {
  const own = volumeName(instance, appId)
  return name === own || (name.startsWith(`${own}-`) && /^[a-z0-9-]{1,32}$/.test(name.slice(own.length + 1)))
}

/** What a volume is called in the settings of its app; empty for the other kinds of volumes. */
export function volumeInSettings(name: string): string {
  return /^berth-[a-z0-9]+-app-\d+-volume-([a-z0-9-]{1,32})$/.exec(name)?.[1] ?? ''
}

export function projectNetworkName(instance: string, projectId: number): string {
  return `berth-${checkedInstance(instance)}-project-${id(projectId)}`
}

/** The network of the same project that reaches over all servers. */
export function projectOverlayName(instance: string, projectId: number): string {
  return `${projectNetworkName(instance, projectId)}-overlay`
}

export function appNetworkName(instance: string, appId: number): string {
  return `berth-${checkedInstance(instance)}-app-${id(appId)}-network`
}

/** The prefix of a compose app's volume names: the Compose project name of earlier versions. */
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

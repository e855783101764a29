import { type InterpolationBudget, interpolate, newBudget } from './interpolate.ts'
import type { MountRead, PortRead } from './parts.ts'
import { createReading, mapping, matching, type Reading, refuse } from './refuse.ts'
import { type ServiceRead, serviceOf } from './service.ts'
import type { ComposePlan, StackMount, StackService } from './stack.ts'
import { inStartOrder } from './start-order.ts'
import { anonymousVolume, namedVolume } from './volume-names.ts'
import { parseComposeYaml } from './yaml.ts'

export type ComposeSettings = {
  /** What `${VAR}` may see: the app's own variables. */
  readonly env: Readonly<Record<string, string>>
  /** What the engine's names of the app's volumes begin with. */
  readonly volumePrefix: string
  readonly port: number | null
  readonly memoryBytes?: number
  readonly cpus?: number
  readonly reservedPorts: readonly number[]
  newImageName(): string
  /** What of the file is left out or changed, in sentences. */
  onNote?(sentence: string): void
}

const MAX_SERVICES = 30
const MAX_PUBLISHED_PORTS = 20
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/
const TOP_KEYS = ['services', 'volumes', 'networks', 'version', 'name']

/** A repository's compose file → what we are willing to run. An allow list: a key that is not known is refused by its name. */
export function planCompose(text: string, settings: ComposeSettings): ComposePlan {
  return read(settings, (reading) => planned(parseComposeYaml(text), settings, reading))
}

/** The same for a file that has been taken apart already. */
export function planParsed(source: unknown, settings: ComposeSettings): ComposePlan {
  return read(settings, (reading) => planned(source, settings, reading))
}

function read(settings: ComposeSettings, work: (reading: Reading) => ComposePlan): ComposePlan {
  const reading = createReading()
  const plan = reading.attempt(() => work(reading))
  reading.refuseIfAny()
  for (const note of reading.notes()) settings.onNote?.(note)
  return plan ?? refuse('services', 'is empty')
}

function planned(given: unknown, settings: ComposeSettings, reading: Reading): ComposePlan {
  const source = interpolated(given, settings.env, newBudget())
  const top = mapping(source, 'the file', TOP_KEYS)
  reading.attempt(() => checkVolumes(top['volumes']))
  reading.attempt(() => checkNetworks(top['networks']))
  const services = servicesOf(top['services'], settings, reading)
  checkPublished(services)
  const routedService = routedOf(services, settings.port)
  const builds = services.flatMap(({ name, build }) =>
    build === null ? [] : [{ ...build, service: name, image: settings.newImageName() }],
  )
  const images = new Map(builds.map(({ service, image }) => [service, image]))
  const finished = services.map((service) => finishedService(service, { settings, image: images.get(service.name) ?? service.image ?? '' }))
  return { services: inStartOrder(finished), builds, routedService }
}

function servicesOf(value: unknown, { env, reservedPorts }: ComposeSettings, reading: Reading): ServiceRead[] {
  const given = Object.entries(mapping(value, 'services'))
  if (given.length === 0) refuse('services', 'is empty')
  if (given.length > MAX_SERVICES) refuse('services', `has more than ${MAX_SERVICES} entries`)
  const found = reading.each(given, ([name, service]) => {
    matching(name, `services.${name}`, NAME)
    return serviceOf({ name, value: service }, { env, reading, reservedPorts })
  })
  return found.filter((service) => service !== undefined)
}

// The nesting was limited when the file was parsed.
function interpolated(value: unknown, env: Readonly<Record<string, string>>, budget: InterpolationBudget): unknown {
  if (typeof value === 'string') return interpolate(value, env, budget)
  if (Array.isArray(value)) return value.map((entry) => interpolated(entry, env, budget))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, interpolated(entry, env, budget)]))
}

// Each service says which volumes it has, so that nothing is left to do with the list but to look at what it asks for.
function checkVolumes(value: unknown): void {
  for (const [name, options] of Object.entries(mapping(value, 'volumes'))) {
    const given = mapping(options, `volumes.${name}`, ['driver', 'labels'])
    if (given['driver'] !== undefined && given['driver'] !== 'local') refuse(`volumes.${name}.driver`)
    matching(name, `volumes.${name}`, NAME)
  }
}

// They all become the app's one network: the file's own names for them carry nothing that we need.
function checkNetworks(value: unknown): void {
  for (const [name, options] of Object.entries(mapping(value, 'networks'))) {
    const given = mapping(options, `networks.${name}`, ['driver', 'labels', 'internal', 'name'])
    if (given['driver'] !== undefined && given['driver'] !== 'bridge') refuse(`networks.${name}.driver`)
  }
}

function checkPublished(services: readonly ServiceRead[]): void {
  if (services.flatMap(({ ports }) => ports.filter(({ host }) => host !== null)).length > MAX_PUBLISHED_PORTS)
    refuse('services', `publish more than ${MAX_PUBLISHED_PORTS} ports of the machine`)
}

function routedOf(services: readonly ServiceRead[], port: number | null): string | null {
  if (port === null) return null
  const offers = ({ ports, expose }: ServiceRead) => ports.some(({ container }) => container === port) || expose.includes(port)
  return (services.find(offers) ?? (services.length === 1 ? services[0] : undefined))?.name ?? null
}

function finishedService(service: ServiceRead, { settings, image }: { settings: ComposeSettings; image: string }): StackService {
  const { build: _build, expose: _expose, mounts, ports, ...read } = service
  const memory = [service.memoryBytes, settings.memoryBytes].filter((bytes) => bytes !== undefined)
  const cpus = [service.cpus, settings.cpus].filter((amount) => amount !== undefined)
  const tmpfs = [...(service.tmpfs ?? []), ...mounts.flatMap((mount) => (mount.kind === 'tmpfs' ? [mount.path] : []))]
  return {
    ...read,
    image,
    environment: service.environment ?? {},
    restart: service.restart ?? { policy: 'no' },
    ...(tmpfs.length === 0 ? {} : { tmpfs }),
    mounts: mountsOf(service.name, mounts, settings.volumePrefix),
    ports: ports.flatMap(publishedOf),
    ...(memory.length === 0 ? {} : { memoryBytes: Math.min(...memory) }),
    ...(cpus.length === 0 ? {} : { cpus: Math.min(...cpus) }),
  }
}

function mountsOf(service: string, mounts: readonly MountRead[], prefix: string): StackMount[] {
  return mounts.flatMap((mount) => {
    if (mount.kind === 'tmpfs') return []
    const { kind: _kind, source, ...rest } = mount
    return [{ volume: source === undefined ? anonymousVolume(prefix, service, mount.path) : namedVolume(prefix, source), ...rest }]
  })
}

function publishedOf({ host, ...port }: PortRead): StackService['ports'] {
  return host === null ? [] : [{ host, ...port }]
}

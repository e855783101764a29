import { type InterpolationBudget, interpolate, newBudget } from './interpolate.ts'
import { type ComposeBuild, type Mount, portOf } from './parts.ts'
import { mapping, matching, refuse } from './refuse.ts'
import { type ServiceRead, serviceOf } from './service.ts'
import { parseComposeYaml } from './yaml.ts'

export type ComposeSettings = {
  /** What `${VAR}` may see: the app's own variables. */
  readonly env: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  readonly serviceLabel: string
  readonly appNetwork: string
  readonly projectNetwork: string
  /** The app's slug: its routed service is reached by it inside the project. */
  readonly alias: string
  readonly port: number | null
  readonly memoryBytes?: number
  readonly cpus?: number
  readonly reservedPorts: readonly number[]
  newImageName(): string
}

export type ComposePlan = {
  /** The file that is run: rebuilt from what was understood, never the text that came in. */
  readonly file: string
  readonly builds: readonly (ComposeBuild & { readonly service: string; readonly image: string })[]
  readonly services: readonly string[]
  readonly routedService: string | null
}

const MAX_SERVICES = 30
const MAX_PUBLISHED_PORTS = 20
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/
const TOP_KEYS = ['services', 'volumes', 'networks', 'version', 'name']

/** A repository's compose file → what we are willing to run. An allow list: a key that is not known is refused by its name. */
export function planCompose(text: string, settings: ComposeSettings): ComposePlan {
  const source = interpolated(parseComposeYaml(text), settings.env, newBudget())
  const top = mapping(withoutExtensions(source), 'the file', TOP_KEYS)
  const given = Object.entries(mapping(top['services'], 'services'))
  if (given.length === 0) refuse('services', 'is empty')
  if (given.length > MAX_SERVICES) refuse('services', `has more than ${MAX_SERVICES} entries`)
  const services = given.map(([name, value]) =>
    serviceOf({ name: matching(name, `services.${name}`, NAME), value: withoutExtensions(value) }, settings.env),
  )
  const published = services.flatMap(({ name, ports }) => ports.map((entry) => portOf(entry, `services.${name}.ports`, []).host))
  if (published.filter((port) => port !== null).length > MAX_PUBLISHED_PORTS)
    refuse('services', `publish more than ${MAX_PUBLISHED_PORTS} ports of the machine`)
  const volumes = volumesOf(top['volumes'])
  checkNetworks(top['networks'])
  const routedService = routedOf(services, settings)
  const builds = services.flatMap(({ name, build }) =>
    build === null ? [] : [{ ...build, service: name, image: settings.newImageName() }],
  )
  const builtImages = new Map(builds.map(({ service, image }) => [service, image]))
  const model = {
    services: Object.fromEntries(services.map((service) => [service.name, finished(service, { settings, builtImages, routedService })])),
    volumes: Object.fromEntries(
      [...new Set([...volumes, ...services.flatMap(({ mounts }) => sourcesOf(mounts))])].map((name) => [name, { labels: settings.labels }]),
    ),
    networks: { app: { external: true, name: settings.appNetwork }, project: { external: true, name: settings.projectNetwork } },
  }
  // JSON is YAML without its surprises, so every version of Compose reads the same thing; dollars are literal by now.
  return { file: `${JSON.stringify(escaped(model), null, 2)}\n`, builds, services: services.map(({ name }) => name), routedService }
}

// The nesting was limited when the file was parsed.
function interpolated(value: unknown, env: Readonly<Record<string, string>>, budget: InterpolationBudget): unknown {
  if (typeof value === 'string') return interpolate(value, env, budget)
  if (Array.isArray(value)) return value.map((entry) => interpolated(entry, env, budget))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, interpolated(entry, env, budget)]))
}

function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('$', '$$$$')
  if (Array.isArray(value)) return value.map(escaped)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, escaped(entry)]))
}

function withoutExtensions(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('x-')))
}

function volumesOf(value: unknown): string[] {
  return Object.entries(mapping(value, 'volumes')).map(([name, options]) => {
    const given = mapping(options, `volumes.${name}`, ['driver', 'labels'])
    if (given['driver'] !== undefined && given['driver'] !== 'local') refuse(`volumes.${name}.driver`)
    return matching(name, `volumes.${name}`, NAME)
  })
}

// They all become the app's one network: the file's own names for them carry nothing that we need.
function checkNetworks(value: unknown): void {
  for (const [name, options] of Object.entries(mapping(value, 'networks'))) {
    const given = mapping(options, `networks.${name}`, ['driver', 'labels', 'internal', 'name'])
    if (given['driver'] !== undefined && given['driver'] !== 'bridge') refuse(`networks.${name}.driver`)
  }
}

function routedOf(services: readonly ServiceRead[], settings: ComposeSettings): string | null {
  const { port } = settings
  if (port === null) return null
  const offers = (service: ServiceRead) =>
    service.ports.some((entry) => portOf(entry, `services.${service.name}.ports`, []).container === port) || service.expose.includes(port)
  return (services.find(offers) ?? (services.length === 1 ? services[0] : undefined))?.name ?? null
}

function finished(
  service: ServiceRead,
  plan: { settings: ComposeSettings; builtImages: ReadonlyMap<string, string>; routedService: string | null },
): Record<string, unknown> {
  const { settings, builtImages, routedService } = plan
  const ports = service.ports.map((entry) => portOf(entry, `services.${service.name}.ports`, settings.reservedPorts))
  const published = ports.flatMap(({ host, hostIp, container, protocol }) =>
    host === null ? [] : [`${hostIp === '' ? '' : `${hostIp}:`}${host}:${container}/${protocol}`],
  )
  const memory = [service.memoryBytes, settings.memoryBytes].filter((bytes) => bytes !== undefined)
  const cpus = [service.cpus, settings.cpus].filter((amount) => amount !== undefined)
  return {
    ...service.kept,
    image: builtImages.get(service.name) ?? service.image,
    ...(published.length === 0 ? {} : { ports: published }),
    ...(service.mounts.length === 0 ? {} : { volumes: service.mounts }),
    ...(memory.length === 0 ? {} : { mem_limit: Math.min(...memory) }),
    ...(cpus.length === 0 ? {} : { cpus: Math.min(...cpus) }),
    labels: { ...settings.labels, [settings.serviceLabel]: service.name },
    networks: {
      app: { aliases: [service.name, ...service.aliases] },
      ...(service.name === routedService ? { project: { aliases: [settings.alias] } } : {}),
    },
    cap_drop: [...new Set(['NET_RAW', 'MKNOD', ...service.capDrop])],
    security_opt: ['no-new-privileges:true'],
    pids_limit: 512,
    init: true,
    logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
  }
}

function sourcesOf(mounts: readonly Mount[]): string[] {
  return mounts.flatMap(({ source }) => (source === undefined ? [] : [source]))
}

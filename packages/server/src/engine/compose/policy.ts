import { SpecRefused } from '../api/errors.ts'
import { contentsOf } from './configs.ts'
import { createEnvFiles, parseEnvFile } from './env-file.ts'
import { finishedService } from './finish.ts'
import { type InterpolationBudget, interpolate, newBudget, type VariableUse } from './interpolate.ts'
import { refuseTooManyContainers } from './limits.ts'
import { MOST_SERVICES, withOtherFiles } from './other-files.ts'
import { activeServices } from './profiles.ts'
import { publishedOf } from './published.ts'
import { createReading, mapping, matching, type Reading, refuse } from './refuse.ts'
import { type Access, type LookUp, repositoryPath } from './repository.ts'
import { type Endpoint, routedOf } from './routed.ts'
import { ALIAS, type ServiceContext, type ServiceRead, serviceOf } from './service.ts'
import type { ComposePlan } from './stack.ts'
import { inStartOrder } from './start-order.ts'
import { createVariables } from './variables.ts'
import { parseComposeYaml } from './yaml.ts'

export type ComposeSettings = {
  /** The variables available to `${VAR}`: the app's own. */
  readonly env: Readonly<Record<string, string>>
  /** The prefix of the engine's names for the app's volumes. */
  readonly volumePrefix: string
  /** Without one it is taken from the file, if the app has domains that name no service. */
  readonly port: number | null
  /** Services with their own domains, and the ports that their visitors are sent to. */
  readonly endpoints?: readonly Endpoint[]
  /** The app has domains that name no service. */
  readonly hasOwnDomain?: boolean
  readonly memoryBytes?: number
  readonly cpus?: number
  readonly reservedPorts: readonly number[]
  newImageName(): string
  /** The directory of the compose file, and access to the other files of the repository. Without it, the file can refer to no others. */
  readonly directory?: string
  readonly lookUp?: LookUp
  /** Otherwise each text is parsed where it is needed. */
  readonly parse?: Access['parse']
  /** There is no repository, so nothing can be built. */
  readonly standsAlone?: boolean
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/
const TOP_KEYS = ['services', 'volumes', 'networks', 'version', 'name', 'configs', 'secrets']

/** Turns a compose file into a plan of what we allow to run. An allow list: an unknown key is refused by name. */
export function planCompose(text: string, settings: ComposeSettings): ComposePlan {
  return read((reading) => planned((settings.parse ?? parseComposeYaml)(text), settings, reading))
}

/** The same for a file that is already parsed. */
export function planParsed(source: unknown, settings: ComposeSettings): ComposePlan {
  return read((reading) => planned(source, settings, reading))
}

function read(work: (reading: Reading) => ComposePlan): ComposePlan {
  const reading = createReading()
  const plan = reading.attempt(() => work(reading))
  reading.refuseIfAny()
  return withNotes(plan, reading)
}

function withNotes(plan: ComposePlan | undefined, reading: Reading): ComposePlan {
  const { services = [], builds = [], routedService = null, foundPort, alsoRouted = [], published = [] } = plan ?? {}
  const notes = reading.notes()
  return {
    services,
    builds,
    routedService,
    ...(foundPort !== undefined && { foundPort }),
    ...(alsoRouted.length > 0 && { alsoRouted }),
    ...(published.length > 0 && { published }),
    ...(notes.length > 0 && { notes }),
  }
}

/** Everything about a file: the plan as far as it could be read, the reasons against it, and the variables it uses. */
export type ComposeJudgement = {
  readonly plan: ComposePlan
  readonly objections: readonly { readonly key: string; readonly reason: string }[]
  readonly variables: readonly VariableUse[]
}

export function judgeCompose(text: string, settings: ComposeSettings): ComposeJudgement {
  const reading = createReading()
  const variables = createVariables()
  try {
    const plan = reading.attempt(() => planned((settings.parse ?? parseComposeYaml)(text), settings, reading, variables))
    return { plan: withNotes(plan, reading), objections: reading.objections(), variables: variables.found() }
  } catch (cause) {
    if (!(cause instanceof SpecRefused)) throw cause
    const objections = [...reading.objections(), { key: cause.key, reason: cause.message }]
    return { plan: withNotes(undefined, reading), objections, variables: variables.found() }
  }
}

function planned(given: unknown, settings: ComposeSettings, reading: Reading, variables = createVariables()): ComposePlan {
  const { directory = '', lookUp = () => ({ kind: 'missing' as const }), parse = parseComposeYaml } = settings
  const budget = newBudget()
  const env = { ...committedVariables(settings.env, { directory, lookUp, budget }), ...settings.env }
  const source = interpolated(withOtherFiles(given, { directory, lookUp, parse, reading }), (text) =>
    interpolate(text, env, budget, variables.add),
  )
  variables.addNamed(source)
  reading.each('the file', variables.missing(), ({ name, words }) =>
    refuse(`\${${name}}`, `is needed${words && `: ${words.slice(0, 200)}`}. Add ${name} to the app's environment`),
  )
  const top = mapping(source, 'the file')
  judgeTop(top, reading)
  const context = { env, envFiles: createEnvFiles(env, budget), reading, directory, lookUp }
  const configs = reading.attempt(() => contentsOf(top['configs'], 'configs', context)) ?? new Map()
  const secrets = reading.attempt(() => contentsOf(top['secrets'], 'secrets', context)) ?? new Map()
  const services = servicesOf(top['services'], { ...context, configs, secrets })
  reading.attempt(() => refuseTooManyContainers(services))
  const endpoints = (settings.endpoints ?? []).filter(({ service }) => services.some(({ name }) => name === service))
  if (settings.standsAlone) refuseBuilds(services, reading)
  const { port, hasOwnDomain = false } = settings
  const hasEndpoints = endpoints.length > 0
  const routed = reading.attempt(() => routedOf(services, { port, hasEndpoints, hasOwnDomain }, reading.note)) ?? null
  const builds = services.flatMap(({ name, build }) =>
    build === null ? [] : [{ ...build, service: name, image: settings.newImageName() }],
  )
  const built = builtImages(services, builds)
  const finished = services.map((service) => {
    const linked = services.flatMap(({ links }) => links.filter((link) => link.service === service.name).map(({ alias }) => alias))
    const image = built(service)
    const place = { prefix: settings.volumePrefix, directory, lookUp, reading }
    return finishedService({ ...service, aliases: [...service.aliases, ...linked] }, { ...settings, ...place, image })
  })
  const published = services.flatMap((service) => publishedOf(service, { ...settings, routed, endpoints, reading }))
  const alsoRouted = [...new Set(endpoints.map(({ service }) => service))].filter((name) => name !== routed?.service)
  const found = port === null && routed !== null && { foundPort: routed.port }
  return { services: inStartOrder(finished), builds, routedService: routed?.service ?? null, ...found, alsoRouted, published }
}

function refuseBuilds(services: readonly ServiceRead[], reading: Reading): void {
  for (const { name } of services.filter(({ build }) => build !== null))
    reading.attempt(() =>
      refuse(`services.${name}.build`, 'needs a repository, and this app has none. Use an image, or put the file into a repository'),
    )
}

/** The image of each service: built for it, built for another service under that name, or pulled. */
function builtImages(services: readonly ServiceRead[], builds: ComposePlan['builds']): (service: ServiceRead) => string {
  const byService = new Map(builds.map(({ service, image }) => [service, image]))
  const byName = new Map(services.flatMap(({ name, build, image }) => (build && image ? [[image, byService.get(name)] as const] : [])))
  return ({ name, image }) => byService.get(name) ?? byName.get(image ?? '') ?? image ?? ''
}

/** The variables of a `.env` file beside the compose file, which Compose uses for `${VAR}`. */
function committedVariables(
  env: Readonly<Record<string, string>>,
  { directory, lookUp, budget }: { directory: string; lookUp: LookUp; budget: InterpolationBudget },
): Record<string, string> {
  const entry = lookUp(repositoryPath('.env', 'the file', directory))
  return entry.kind === 'file' && entry.text !== null ? parseEnvFile(entry.text, env, budget) : {}
}

function judgeTop(top: Readonly<Record<string, unknown>>, reading: Reading): void {
  reading.attempt(() => mapping(top, 'the file', TOP_KEYS))
  reading.each('volumes', Object.entries(reading.attempt(() => mapping(top['volumes'], 'volumes')) ?? {}), ([name, options]) =>
    checkVolume(name, mapping(options, `volumes.${name}`, ['driver', 'driver_opts', 'labels', 'name', 'external']), reading),
  )
  reading.each('networks', Object.entries(reading.attempt(() => mapping(top['networks'], 'networks')) ?? {}), ([name, options]) =>
    checkNetwork(name, mapping(options, `networks.${name}`, NETWORK_KEYS), reading),
  )
}

const NETWORK_KEYS = ['driver', 'driver_opts', 'labels', 'internal', 'name', 'attachable', 'enable_ipv4', 'enable_ipv6', 'external', 'ipam']
const OWN_VOLUME = 'is not allowed: an app can only use its own volumes. Remove it, and the app gets an empty one'
const OWN_NETWORK = 'is not allowed: the services of an app have their own network, and reach other apps of the project by name. Remove it'

// Services name their volumes themselves, so this list is only checked for settings that are not allowed.
function checkVolume(name: string, given: Readonly<Record<string, unknown>>, reading: Reading): void {
  const at = `volumes.${name}`
  matching(name, at, NAME)
  if (given['external'] !== undefined && given['external'] !== false) refuse(`${at}.external`, OWN_VOLUME)
  if (given['driver'] !== undefined && given['driver'] !== 'local')
    refuse(`${at}.driver`, "is not allowed: volumes are stored on the server's own disk. Remove it")
  if (Object.keys(mapping(given['driver_opts'], `${at}.driver_opts`)).length > 0)
    refuse(`${at}.driver_opts`, 'is not allowed: it could be any path on the server. Remove it')
  if (given['name'] !== undefined) reading.note(`${at}.name is ignored: a volume belongs to its app, whatever its name.`)
}

// All networks become the app's one network, so their names are not needed.
function checkNetwork(name: string, given: Readonly<Record<string, unknown>>, reading: Reading): void {
  const at = `networks.${name}`
  for (const key of ['external', 'ipam'])
    if (given[key] !== undefined && given[key] !== false) reading.attempt(() => refuse(`${at}.${key}`, OWN_NETWORK))
  if (given['driver'] !== undefined && given['driver'] !== 'bridge') refuse(`${at}.driver`, OWN_NETWORK)
  if (given['internal'] === true) reading.note(`${at}.internal is ignored: services of this app can reach the internet.`)
}

function servicesOf(value: unknown, context: ServiceContext): ServiceRead[] {
  const given = Object.entries(mapping(value, 'services'))
  if (given.length === 0) refuse('services', 'is empty')
  if (given.length > MOST_SERVICES) refuse('services', `has more than ${MOST_SERVICES} entries`)
  const found = context.reading.each('services', activeServices(given, context.reading), ([name, service]) => {
    matching(name, `services.${name}`, ALIAS)
    return serviceOf({ name, value: service }, context)
  })
  return found.filter((service) => service !== undefined)
}

// The nesting was limited when the file was parsed.
function interpolated(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((entry) => interpolated(entry, fill))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, interpolated(entry, fill)]))
}

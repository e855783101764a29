import { refuse } from './refuse.ts'
import type { ServiceRead } from './service.ts'

/** A service with its own domain, and the port that its visitors are sent to. */
export type Endpoint = { readonly service: string; readonly port: number | null }
/** The service that visitors of the app reach, and where it listens. */
export type Routed = { readonly service: string; readonly port: number }

/** The settings of the app that decide. */
type Settings = {
  /** Null if the app has none yet. */
  readonly port: number | null
  /** It has domains that name a service. */
  readonly hasEndpoints: boolean
  /** It has domains that name none. */
  readonly hasOwnDomain: boolean
}

/**
 * The service that visitors reach: the one that publishes or exposes the app's port; else the only one that publishes a port at all;
 * else the only one, or the only one that is built. Where that leaves several, somebody has to choose, unless all domains name their services.
 */
export function routedOf(services: readonly ServiceRead[], app: Settings, note: (sentence: string) => void): Routed | null {
  const { port, hasEndpoints, hasOwnDomain } = app
  if (port === null) return hasOwnDomain ? routedByFile(services, app) : null
  const offering = services.find(({ ports, expose }) => ports.some(({ container }) => container === port) || expose.includes(port))
  const found =
    offering ??
    only(services) ??
    only(services.filter(({ ports }) => ports.length > 0)) ??
    only(services.filter(({ build }) => build !== null))
  const other = found?.ports[0]?.container
  if (found !== offering && found && other !== undefined)
    note(`services.${found.name} publishes port ${other}, but the app's port is ${port}. Change the app's port if nothing listens there.`)
  if (found !== undefined) return { service: found.name, port }
  if (hasEndpoints && !hasOwnDomain) return null
  return refuse(
    'services',
    `do not say which one visitors reach: none publishes or exposes port ${port}. Add "expose: [${port}]" to that service, change the app's port, or ${otherWay(app)}`,
  )
}

/** For an app without a port: that of the only service that publishes one, or of the only one that exposes one. */
function routedByFile(services: readonly ServiceRead[], app: Settings): Routed {
  const offers = (portOf: (service: ServiceRead) => number | undefined) =>
    services.flatMap((service) => {
      const port = portOf(service)
      return port === undefined ? [] : [{ service: service.name, port }]
    })
  const publishing = offers(({ ports }) => ports.find(({ protocol }) => protocol === 'tcp')?.container)
  const found = only(publishing) ?? (publishing.length === 0 ? only(offers(({ expose }) => expose[0])) : undefined)
  if (found !== undefined) return found
  const why =
    publishing.length > 1
      ? `${publishing.map(({ service }) => service).join(', ')} publish ports, and the app has none`
      : 'none publishes a port, and the app has none'
  return refuse(
    'services',
    `do not say which one visitors reach: ${why}. Set the app's port to the one where that service listens, or ${otherWay(app)}`,
  )
}

function otherWay({ hasEndpoints, hasOwnDomain }: Settings): string {
  if (hasEndpoints) return 'delete the domains of the app that have no service'
  return hasOwnDomain ? 'add a domain for the service, and delete those that have none' : 'add a domain for the service'
}

function only<T>(some: readonly T[]): T | undefined {
  return some.length === 1 ? some[0] : undefined
}

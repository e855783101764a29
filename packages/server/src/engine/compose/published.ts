import { type Reading, refuse } from './refuse.ts'
import type { Endpoint, Routed } from './routed.ts'
import type { ServiceRead } from './service.ts'
import type { PublishedPort } from './stack.ts'

type Context = {
  readonly routed: Routed | null
  /** The app's. */
  readonly port: number | null
  readonly endpoints: readonly Endpoint[]
  readonly reservedPorts: readonly number[]
  readonly reading: Reading
}

/** What a service publishes and visitors do not reach through the edge. It is kept for whoever may open it; the file opens nothing. */
export function publishedOf({ name: service, ports }: ServiceRead, context: Context): PublishedPort[] {
  const { reading } = context
  const at = `services.${service}.ports`
  const endpoints = [...(context.routed === null ? [] : [context.routed]), ...context.endpoints]
  const isEndpoint = (container: number) =>
    endpoints.some((endpoint) => endpoint.service === service && (endpoint.port ?? context.port) === container)
  const published = reading.each(at, ports, ({ host, ...port }) => {
    if (host === null) return []
    if (port.protocol === 'tcp' && isEndpoint(port.container)) {
      reading.note(`${at}: port ${host} is not opened on the server; visitors reach port ${port.container} through the proxy.`)
      return []
    }
    if (context.reservedPorts.includes(host)) return refuse(`${at} (host port ${host})`, 'is used by Berth. Publish another port')
    return [{ service, host, ...port }]
  })
  const [first, ...more] = published.flat()
  if (first !== undefined) {
    const which = more.length === 0 ? `port ${first.host} is` : `ports ${listOf([first, ...more])} are`
    reading.note(`${at}: ${which} not opened by the file. The app's owner opens ports under Settings → Ports.`)
  }
  return published.flat()
}

const MOST_NAMED = 20

function listOf(ports: readonly PublishedPort[]): string {
  const named = ports.slice(0, MOST_NAMED).map(({ host }) => host)
  return `${named.join(', ')}${ports.length > MOST_NAMED ? ` and ${ports.length - MOST_NAMED} more` : ''}`
}

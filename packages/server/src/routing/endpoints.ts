import { hash } from 'node:crypto'
import type { EdgeHostName } from '../edge/edge.ts'
import type { RoutedDomain } from './store.ts'

/** The hosts of an app whose visitors go to the same place: the app itself, where `service` is empty, or one service at one port. */
export type Endpoint = { readonly service: string; readonly port: number | null; readonly hosts: readonly EdgeHostName[] }

/** The app's own first, with or without a host. */
export function endpointsIn(domains: readonly RoutedDomain[]): Endpoint[] {
  const byPlace = Map.groupBy(domains, ({ service, port }) => `${service}:${service === '' ? '' : port}`)
  const own = byPlace.get(':') ?? []
  const others = [...byPlace.values()].filter((some) => some !== own)
  const endpointOf = (some: readonly RoutedDomain[], { service, port }: Pick<Endpoint, 'service' | 'port'>): Endpoint => ({
    service,
    port,
    hosts: some.map(({ host, redirectHttps, hsts }) => ({ host, redirectHttps, hsts })),
  })
  return [endpointOf(own, { service: '', port: null }), ...others.map((some) => endpointOf(some, some[0] ?? { service: '', port: null }))]
}

/** The edge counts all endpoints of an app as that app: what is behind the underscore is not read. */
export function endpointKey(appKey: string, { service, port }: Pick<Endpoint, 'service' | 'port'>): string {
  return service === '' ? appKey : `${appKey}_${hash('sha256', `${service}:${port}`, 'hex').slice(0, 12)}`
}

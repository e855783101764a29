import { refuse } from './refuse.ts'
import type { ServiceRead } from './service.ts'

/** A service with its own domain, and the port that its visitors are sent to. */
export type Endpoint = { readonly service: string; readonly port: number | null }

/**
 * The service that visitors reach: the one that publishes or exposes the app's port; else the only one that publishes a port at all;
 * else the only one, or the only one that is built. Where that leaves several, somebody has to choose, unless all domains name their services.
 */
export function routedOf(
  services: readonly ServiceRead[],
  { port, hasEndpoints, hasOwnDomain }: { port: number | null; hasEndpoints: boolean; hasOwnDomain: boolean },
  note: (sentence: string) => void,
): string | null {
  if (port === null) return null
  const offering = services.find(({ ports, expose }) => ports.some(({ container }) => container === port) || expose.includes(port))
  const only = (some: readonly ServiceRead[]) => (some.length === 1 ? some[0] : undefined)
  const found =
    offering ??
    only(services) ??
    only(services.filter(({ ports }) => ports.length > 0)) ??
    only(services.filter(({ build }) => build !== null))
  const other = found?.ports[0]?.container
  if (found !== offering && found && other !== undefined)
    note(`services.${found.name} publishes port ${other}, but the app's port is ${port}. Change the app's port if nothing listens there.`)
  if (found !== undefined) return found.name
  if (hasEndpoints && !hasOwnDomain) return null
  return refuse(
    'services',
    `do not say which one visitors reach: none publishes or exposes port ${port}. Add "expose: [${port}]" to that service, change the app's port, or ${hasEndpoints ? 'delete the domains of the app that have no service' : 'add a domain for the service'}`,
  )
}

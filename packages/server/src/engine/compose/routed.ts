import { refuse } from './refuse.ts'
import type { ServiceRead } from './service.ts'

/**
 * The service that visitors reach: the one that publishes or exposes the app's port; else the only one that publishes a port at all;
 * else the only one, or the only one that is built. Where that leaves several, the file has to say it.
 */
export function routedOf(services: readonly ServiceRead[], port: number | null, note: (sentence: string) => void): string | null {
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
    note(
      `services.${found.name} publishes port ${other}, and visitors are sent to port ${port}: change the app's port if nothing answers there.`,
    )
  if (found !== undefined) return found.name
  return refuse(
    'services',
    `do not say which of them visitors are to reach: none publishes or exposes port ${port}. Write "expose: [${port}]" into that one, or change the app's port`,
  )
}

import type { Target } from '../domain/routes.ts'

/** A target as it is stored for the other nodes. */
export function textOfTarget({ services, ...target }: Target): string {
  return JSON.stringify({ ...target, ...(services && { services: [...services] }) })
}

export function targetIn(text: string): Target | undefined {
  if (text === '') return undefined
  const { services, ...target } = JSON.parse(text) as Omit<Target, 'services'> & { services?: [string, string[]][] } // only `textOfTarget` writes it
  return { ...target, ...(services && { services: new Map(services) }) }
}

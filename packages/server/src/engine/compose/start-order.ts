import { refuse } from './refuse.ts'
import type { Dependency } from './stack.ts'

type Depending = { readonly name: string; readonly dependsOn: readonly Dependency[] }

/** Sorts services after their dependencies, otherwise in the order of the file. A missing optional dependency is ignored. */
export function inStartOrder<Service extends Depending>(services: readonly Service[]): Service[] {
  const byName = new Map(services.map((service) => [service.name, service]))
  const ordered = new Map<string, Service>()

  function add(service: Service, path: readonly string[]): void {
    if (ordered.has(service.name)) return
    if (path.includes(service.name)) refuse('services', `depend on each other in a circle: ${[...path, service.name].join(' → ')}`)
    const needed = service.dependsOn.filter(({ service: name, isOptional }) => byName.has(name) || !isOptional)
    for (const { service: name } of needed) {
      const found = byName.get(name)
      if (found === undefined) refuse(`services.${service.name}.depends_on.${name}`, 'is not a service of the file')
      add(found, [...path, service.name])
    }
    ordered.set(service.name, { ...service, dependsOn: needed })
  }

  for (const service of services) add(service, [])
  return [...ordered.values()]
}

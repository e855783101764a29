import { replicasOf } from './limits.ts'
import { dependsOnOf } from './parts.ts'
import { mapping, type Reading, refuse, texts } from './refuse.ts'

type Given = readonly [name: string, value: unknown]

/** Services with a profile, and those with zero replicas, are left out unless another service needs them. */
export function activeServices(given: readonly Given[], reading: Reading): Given[] {
  const byName = new Map(given)
  const active = new Set<string>()

  function add(name: string): void {
    if (active.has(name) || !byName.has(name)) return
    active.add(name)
    const value = byName.get(name)
    const depends = typeof value === 'object' && value !== null && 'depends_on' in value ? value.depends_on : null
    // reported when the service is read
    const needed = quietly(() => dependsOnOf(depends, '')) ?? []
    for (const { service, isOptional } of needed) if (isOptional !== true) add(service)
  }

  for (const [name, value] of given) if (isOn(value)) add(name)
  if (active.size === 0) refuse('services', 'all belong to profiles. Remove profiles from those that should run')
  for (const [name] of given.filter(([each]) => !active.has(each)))
    reading.note(`services.${name} is ignored: it belongs to a profile, or has no replicas.`)
  return given.filter(([name]) => active.has(name))

  function quietly<Result>(work: () => Result): Result | undefined {
    try {
      return work()
    } catch {
      return undefined
    }
  }

  function isOn(value: unknown): boolean {
    return (
      quietly(() => {
        const service = mapping(value, '')
        return texts(service['profiles'] ?? [], '').length === 0 && replicasOf(service, '') > 0
      }) ?? true
    )
  }
}

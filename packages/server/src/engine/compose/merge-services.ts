type Mapping = Readonly<Record<string, unknown>>

/** A command is replaced as a whole, not appended to. */
const REPLACED = ['command', 'entrypoint', 'test', 'profiles']
/** Lists of `KEY=value`, which may be written as mappings too. */
const PAIRS = ['environment', 'labels', 'args', 'sysctls', 'annotations']

/** Merges a service with the one it extends: mappings and lists are joined, other values are replaced. */
export function mergedService(base: Mapping, own: Mapping): Record<string, unknown> {
  const keys = new Set([...Object.keys(base), ...Object.keys(own)])
  return Object.fromEntries([...keys].map((key) => [key, mergedValue(key, base[key], own[key])]))
}

function mergedValue(key: string, base: unknown, own: unknown): unknown {
  if (own === undefined) return base
  if (base === undefined || base === null || REPLACED.includes(key)) return own
  if (PAIRS.includes(key)) return { ...pairsOf(base), ...pairsOf(own) }
  if (key === 'depends_on') return { ...dependenciesOf(base), ...dependenciesOf(own) }
  if (key === 'volumes' && Array.isArray(base) && Array.isArray(own)) return joinedBy(targetOf, base, own)
  if (Array.isArray(base) && Array.isArray(own)) return joinedBy(JSON.stringify, base, own)
  return isMapping(base) && isMapping(own) ? mergedService(base, own) : own
}

function joinedBy(keyOf: (entry: unknown) => string, base: readonly unknown[], own: readonly unknown[]): unknown[] {
  return [...new Map([...base, ...own].map((entry) => [keyOf(entry), entry])).values()]
}

/** The mount path of a volume. Of two volumes with the same path, the later one counts. */
function targetOf(entry: unknown): string {
  if (isMapping(entry)) return String(entry['target'])
  const [first = '', second] = String(entry).split(':')
  return second ?? first
}

function pairsOf(value: unknown): Mapping {
  if (!Array.isArray(value)) return isMapping(value) ? value : {}
  return Object.fromEntries(
    value.map((entry) => {
      const [name = ''] = String(entry).split('=', 1)
      return [name, String(entry).includes('=') ? String(entry).slice(name.length + 1) : null]
    }),
  )
}

function dependenciesOf(value: unknown): Mapping {
  if (!Array.isArray(value)) return isMapping(value) ? value : {}
  return Object.fromEntries(value.map((name) => [String(name), { condition: 'service_started' }]))
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

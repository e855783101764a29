import type { StackChange } from '@berth/contract'

type Shown = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const MOST_CHANGES = 200
const LONGEST_VALUE = 500

/** How the services of one release differ from those of another, setting by setting. */
export function changesBetween(before: Shown, after: Shown): StackChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((service) => ofService(service, before[service], after[service])).slice(0, MOST_CHANGES)
}

function ofService(service: string, before: Shown[string] | undefined, after: Shown[string] | undefined): StackChange[] {
  if (before === undefined) return [{ service, key: '', before: null, after: '' }]
  if (after === undefined) return [{ service, key: '', before: '', after: null }]
  const [was, is] = [new Map(settingsIn(before)), new Map(settingsIn(after))]
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((key) => was.get(key) !== is.get(key))
    .map((key) => ({ service, key, before: shortened(was.get(key)), after: shortened(is.get(key)) }))
}

/** Each value with its path. A list is one value: the order of its entries matters. */
function settingsIn(value: Readonly<Record<string, unknown>>, path = ''): [string, string][] {
  return Object.entries(value).flatMap(([key, entry]): [string, string][] => {
    const at = path === '' ? key : `${path}.${key}`
    if (typeof entry === 'object' && entry !== null && !Array.isArray(entry))
      return settingsIn(Object.fromEntries(Object.entries(entry)), at)
    return [[at, typeof entry === 'string' ? entry : JSON.stringify(entry)]]
  })
}

function shortened(value: string | undefined): string | null {
  if (value === undefined) return null
  return value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value
}

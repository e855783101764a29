import type { EnvChanges } from '@berth/contract'

type Environment = Readonly<Record<string, string>>

/** What a release was given; `PORT` is ours where the user has set none. */
export type Released = { env: Environment; port: number | null }

/** By name alone: neither value leaves this function. */
export function environmentChanges(current: Environment, released: Released): EnvChanges['changes'] {
  const before = new Map(Object.entries(released.env))
  const now = new Map(Object.entries(current))
  const isOurs = (key: string, value: string): boolean => key === 'PORT' && value === String(released.port)
  const kept = [...now].flatMap(([key, value]): EnvChanges['changes'] => {
    if (!before.has(key)) return [{ key, is: 'added' }]
    return before.get(key) === value ? [] : [{ key, is: 'changed' }]
  })
  const removed = [...before].filter(([key, value]) => !now.has(key) && !isOurs(key, value))
  return [...kept, ...removed.map(([key]) => ({ key, is: 'removed' as const }))]
}

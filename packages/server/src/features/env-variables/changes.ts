import type { EnvChanges } from '@berth/contract'
import type { Resolved } from './references.ts'

type Environment = Readonly<Record<string, string>>

/** The environment of a release; `PORT` is ours unless the user has set it. */
export type Released = { env: Environment; port: number | null }

/**
 * Compares resolved values and returns names only: no value leaves this function. A variable that cannot be resolved counts as changed.
 */
export function environmentChanges(current: Resolved, released: Released): EnvChanges['changes'] {
  const before = new Map(Object.entries(released.env))
  const now = new Map<string, string | undefined>(Object.entries(current.env))
  for (const { key } of current.problems) now.set(key, undefined)
  const isOurs = (key: string, value: string): boolean => key === 'PORT' && value === String(released.port)
  const kept = [...now].flatMap(([key, value]): EnvChanges['changes'] => {
    if (!before.has(key)) return [{ key, is: 'added' }]
    return before.get(key) === value ? [] : [{ key, is: 'changed' }]
  })
  const removed = [...before].filter(([key, value]) => !now.has(key) && !isOurs(key, value))
  return [...kept, ...removed.map(([key]) => ({ key, is: 'removed' as const }))]
}

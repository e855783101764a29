import type { EnvChanges } from '@berth/contract'

export type KeyChange = EnvChanges['changes'][number]

const WORDS = ['added', 'changed', 'removed'] as const satisfies readonly KeyChange['is'][]

/** For example "1 added, 2 changed". */
export function changeWords(changes: readonly KeyChange[]): string {
  const counts = WORDS.map((word) => ({ word, count: changes.filter(({ is }) => is === word).length }))
  return counts
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => `${count} ${word}`)
    .join(', ')
}

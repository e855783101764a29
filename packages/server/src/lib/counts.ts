/** How many there are of each. */
export function createCounts<Key>() {
  const counts = new Map<Key, number>()
  const of = (key: Key): number => counts.get(key) ?? 0
  return {
    of,
    add: (key: Key): void => void counts.set(key, of(key) + 1),
    remove: (key: Key): void => void (of(key) > 1 ? counts.set(key, of(key) - 1) : counts.delete(key)),
  }
}

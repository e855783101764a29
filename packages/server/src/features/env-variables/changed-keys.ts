type Sealed = { readonly key: string; readonly sealed_value: string }

/** Enough to see what a change was about; a whole environment per line would make the audit log unreadable. */
const MOST_KEYS = 50

/** For the audit log: the names that were added, changed or removed, and never a value. An unchanged variable keeps its sealed value. */
export function changedKeys(before: readonly Sealed[], after: readonly Sealed[]): { keys: string[]; more?: number } {
  const [old, now] = [before, after].map((rows) => new Map(rows.map((row) => [row.key, row.sealed_value])))
  const keys = [...new Set([...before, ...after].map(({ key }) => key))].filter((key) => old?.get(key) !== now?.get(key))
  return { keys: keys.slice(0, MOST_KEYS), ...(keys.length > MOST_KEYS && { more: keys.length - MOST_KEYS }) }
}

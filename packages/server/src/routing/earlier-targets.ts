import type { EdgeTarget } from '../edge/edge.ts'

type Left = { readonly targets: readonly EdgeTarget[]; readonly at: number }
/** Longer than any drain waits for a request. */
const KEPT_MS = 10 * 60_000
const MOST = 20

const textOf = (targets: readonly EdgeTarget[]): string =>
  targets
    .map(({ ip, port }) => `${ip}|${port}`)
    .toSorted()
    .join(' ')

/**
 * The target sets that each endpoint had until recently. The edge counts requests by set, and each replica that comes or goes makes another
 * set: a request may have begun under an earlier one.
 */
export function createEarlierTargets(now: () => number = () => performance.now()) {
  const current = new Map<string, readonly EdgeTarget[]>()
  const left = new Map<string, Left[]>()

  /** Takes all endpoints. Those that are missing, such as those of deleted apps, are forgotten. */
  function note(endpoints: readonly { readonly appKey: string; readonly targets: readonly EdgeTarget[] }[]): void {
    const keys = new Set(endpoints.map(({ appKey }) => appKey))
    for (const key of current.keys()) {
      if (keys.has(key)) continue
      current.delete(key)
      left.delete(key)
    }
    for (const { appKey, targets } of endpoints) noteOne(appKey, targets)
  }

  function noteOne(key: string, targets: readonly EdgeTarget[]): void {
    const before = current.get(key) ?? []
    current.set(key, targets)
    if (before.length === 0 || textOf(before) === textOf(targets)) return
    const others = (left.get(key) ?? []).filter((each) => now() - each.at < KEPT_MS && textOf(each.targets) !== textOf(before))
    left.set(key, [...others, { targets: before, at: now() }].slice(-MOST))
  }

  function of(key: string): (readonly EdgeTarget[])[] {
    const is = textOf(current.get(key) ?? [])
    return (left.get(key) ?? []).filter((each) => now() - each.at < KEPT_MS && textOf(each.targets) !== is).map(({ targets }) => targets)
  }

  /** All sets with a target that the endpoint has or had until recently, and whether it is in the current one. */
  function withTarget(key: string, { ip, port }: EdgeTarget): { sets: (readonly EdgeTarget[])[]; isCurrent: boolean } {
    const has = (targets: readonly EdgeTarget[]) => targets.some((each) => each.ip === ip && each.port === port)
    const is = current.get(key) ?? []
    return { sets: [...of(key), is].filter(has), isCurrent: has(is) }
  }

  return { note, of, withTarget }
}

import { isOverlayAddress } from '../../engine/subnets.ts'
import { fairOrder } from '../../lib/fair-order.ts'
import type { EdgeRoutes } from '../edge.ts'
import { type HaproxySettings, lookUp } from './terms.ts'

/** How many targets are checked. Those after them are only noticed to be lost by a request that waits for them. */
export const MOST_CHECKED = 128
/** Two failures in a row, each after its own wait and answer time: a target is out of rotation after 1.6 s at the latest. */
const CHECK = { everyMs: 400, answersWithinMs: 400, failures: 2 }
/** A request may find that many neighbours of its target lost. */
const SKIPPED_AT_ONCE = 3
const SERVER = 'it'

/** ip | port of each checked target, and the backend that checks it. */
export type Checked = ReadonlyMap<string, string>

/**
 * Those of several that run on servers which may be lost one by one. What has one target has no other to go to. If there are too many, they
 * are shared: the first target of each app of each owner comes first.
 */
export function targetsToCheck({ apps }: EdgeRoutes): string[] {
  const shared = apps.filter(({ targets }) => targets.length > 1).toSorted((a, b) => (a.appKey < b.appKey ? -1 : 1))
  const all = shared.flatMap(({ appKey, ownerId, targets }) =>
    targets
      .filter(({ ip }) => isOverlayAddress(ip))
      .map(({ ip, port }) => ({ appKey, ownerId, target: `${ip}|${port}` }))
      .toSorted((a, b) => (a.target < b.target ? -1 : 1)),
  )
  const never = { last: () => 0, lastOfOwner: () => 0 }
  const byApp = fairOrder(all, { owner: ({ appKey }) => appKey, ...never })
  const byOwner = fairOrder(byApp, { owner: ({ ownerId }) => ownerId, ...never })
  return [...new Set(byOwner.map(({ target }) => target))].slice(0, MOST_CHECKED)
}

/** Each target keeps its backend as long as it is wanted. */
export function assignChecks(before: Checked, wanted: readonly string[]): Checked {
  const kept = new Map(wanted.flatMap((target) => (before.has(target) ? [[target, before.get(target) ?? '']] : [])))
  const used = new Set(kept.values())
  const free = backendNames().filter((name) => !used.has(name))
  for (const target of wanted) if (!kept.has(target)) kept.set(target, free.shift() ?? '')
  return new Map([...kept].filter(([, name]) => name !== ''))
}

/** No visitor comes to these backends: whether their only server answers is looked up by name. Those that check nothing are off. */
export function checkBackends(checked: Checked): string[] {
  const targets = new Map([...checked].map(([target, name]) => [name, target.replace('|', ':')]))
  return backendNames().flatMap((name) => {
    const target = targets.get(name)
    const { everyMs, answersWithinMs, failures } = CHECK
    return [
      `backend ${name}`,
      `  timeout connect ${answersWithinMs}ms`,
      `  timeout check ${answersWithinMs}ms`,
      `  server ${SERVER} ${target ?? '127.0.0.1:1'} check inter ${everyMs}ms fall ${failures} rise 2${target === undefined ? ' disabled' : ''}`,
      '',
    ]
  })
}

/** Goes on to the next target of the set instead of one that the checks found lost. If all are, the last one is tried. */
export function skippingTheLost(settings: HaproxySettings, next: string): string[] {
  const isLost = '{ var(txn.check) -m found } { var(txn.check),nbsrv eq 0 }'
  return Array.from({ length: SKIPPED_AT_ONCE }, () => [
    `  http-request unset-var(txn.check)`,
    `  http-request set-var(txn.check) var(txn.to),${lookUp(settings, 'checks')} if { var(txn.set) -m found }`,
    `  http-request set-var(txn.next) var(txn.set),concat(>,txn.to),${next} if ${isLost}`,
    `  http-request set-var(txn.to) var(txn.next) if ${isLost} { var(txn.next) -m found }`,
  ]).flat()
}

/** What makes a running HAProxy check these and nothing else. One that checks something new begins as if it answered. */
export function checkCommands(before: Checked | undefined, wanted: Checked): string[] {
  const [old, targets] = [reversed(before ?? new Map()), reversed(wanted)]
  return backendNames().flatMap((name) => {
    const target = targets.get(name)
    const server = `${name}/${SERVER}`
    if (before !== undefined && old.get(name) === target) return []
    if (target === undefined) return [`set server ${server} state maint`]
    const [ip, port] = target.split('|')
    const isKnown = before === undefined // and maybe checked already: its state is kept
    return [
      ...(isKnown ? [] : [`set server ${server} state maint`]),
      `set server ${server} addr ${ip} port ${port}`,
      `set server ${server} state ready`,
    ]
  })
}

function backendNames(): string[] {
  return Array.from({ length: MOST_CHECKED }, (_, index) => `check-${index + 1}`)
}

function reversed(checked: Checked): Map<string, string> {
  return new Map([...checked].map(([target, name]) => [name, target]))
}

import type { DnsStatus } from '@berth/contract'
import type { DnsCheck } from '../../edge/certificates/dns-check.ts'
import { fairOrder } from '../../lib/fair-order.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Reader } from '../../store/database.ts'
import { type BaseDomain, needsNoDns } from './base-domain.ts'
import { type DnsState, listDnsStates } from './store.ts'

type Deps = {
  db: Reader
  now: () => Date
  log: Logger
  readBase: (db: Reader) => Promise<BaseDomain | undefined>
  check: (host: string) => Promise<DnsCheck>
  write: (host: string, found: { dns_status: DnsStatus; dns_error: string }) => Promise<void>
  /** A lookup that takes longer frees its slot for the next; its result still counts. */
  slowMs?: number
}

const AT_ONCE = 4
const GOOD_FOR_MS = 4 * 3600 * 1000

/** Checks in the background where domains point: on every run, or rarely for domains that were fine. */
export function createDnsLook({ db, now, log, readBase, check, write, slowMs = 20_000 }: Deps) {
  const lookedAt = new Map<number, number>()
  /** Owners take turns, so that one with many domains does not delay the others. */
  const ownersTurn = new Map<number, number>()
  const working = new Set<number>()
  let waiting: DnsState[] = []
  let taken = 0
  let turn = 0

  const lastLook = ({ id }: DnsState): number => lookedAt.get(id) ?? 0

  function isDue(domain: DnsState): boolean {
    if (working.has(domain.id)) return false
    return domain.dns_status !== 'ok' || now().getTime() - lastLook(domain) >= GOOD_FOR_MS
  }

  /** Starts the checks without waiting for them. New domains come first, then those checked longest ago. */
  async function look(signal: AbortSignal): Promise<void> {
    const base = await readBase(db)
    const domains = (await listDnsStates(db)).filter(({ host }) => !needsNoDns(host, base))
    const ids = new Set(domains.map(({ id }) => id))
    for (const id of lookedAt.keys()) if (!ids.has(id)) lookedAt.delete(id)
    const owners = new Set(domains.map(({ ownerId }) => ownerId))
    for (const id of ownersTurn.keys()) if (!owners.has(id)) ownersTurn.delete(id)
    waiting = fairOrder(domains.filter(isDue), {
      owner: ({ ownerId }) => ownerId,
      last: lastLook,
      lastOfOwner: (owner) => ownersTurn.get(owner) ?? 0,
    })
    fill(signal)
  }

  function fill(signal: AbortSignal): void {
    while (taken < AT_ONCE && !signal.aborted) {
      const domain = waiting.shift()
      if (!domain) return
      taken += 1
      ownersTurn.set(domain.ownerId, (turn += 1))
      void inTime(lookAt(domain, signal)).then(() => {
        taken -= 1
        fill(signal)
      })
    }
  }

  async function inTime(work: Promise<void>): Promise<void> {
    const slow = Promise.withResolvers<void>()
    const timer = setTimeout(slow.resolve, slowMs)
    timer.unref()
    await Promise.race([work, slow.promise])
    clearTimeout(timer)
  }

  async function lookAt(domain: DnsState, signal: AbortSignal): Promise<void> {
    working.add(domain.id)
    lookedAt.set(domain.id, now().getTime())
    try {
      const { dnsStatus, dnsError } = await check(domain.host)
      const found = { dns_status: dnsStatus, dns_error: dnsError ?? '' }
      if (!signal.aborted && !isSame(domain, found)) await write(domain.host, found)
    } catch (err) {
      if (!signal.aborted) log.warn({ host: domain.host, err }, 'the DNS of a domain could not be checked')
    } finally {
      working.delete(domain.id)
    }
  }

  return { look }
}

type Found = Pick<DnsState, 'dns_status' | 'dns_error'>

/** DNS returns several addresses in varying order, which is not a change. */
function isSame(a: Found, b: Found): boolean {
  const words = (text: string) =>
    text
      .split(/[\s,]+/)
      .toSorted()
      .join(' ')
  return a.dns_status === b.dns_status && words(a.dns_error) === words(b.dns_error)
}

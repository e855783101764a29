import { fairOrder } from '../../lib/fair-order.ts'

/** Whose host it is. Hosts of nobody are the platform's own. */
export type HostOwners = ReadonlyMap<string, number>

/**
 * Looks regularly which of the wanted hosts are due, and works on a few of them at a time, never twice on the same. Owners take turns,
 * and one place is never taken by those who have others: nobody waits for all the hosts of somebody else.
 */
export function createDueHosts(deps: {
  isDue: (host: string) => boolean
  run: (host: string) => Promise<void>
  onFailure: (host: string, cause: unknown) => void
  everyMs: number
  atOnce: number
}) {
  const { isDue, run, onFailure, everyMs, atOnce } = deps
  const perOwner = Math.max(1, atOnce - 1)
  const working = new Map<string, Promise<void>>()
  /** Those that nobody asked for by hand, by their owner. */
  const places: (number | undefined)[] = []
  const last = { hosts: new Map<string, number>(), owners: new Map<number | undefined, number>(), turn: 0 }
  let wanted = new Set<string>()
  let owners: HostOwners = new Map()
  let waiting: string[] = []
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const ownerOf = (host: string) => owners.get(host)
  const canBegin = (host: string) => !isClosed && !working.has(host) && wanted.has(host) && isDue(host)

  function look(): void {
    clearTimeout(timer)
    if (isClosed) return
    waiting = fairOrder([...wanted].filter(canBegin), {
      owner: ownerOf,
      last: (host) => last.hosts.get(host) ?? 0,
      lastOfOwner: (owner) => last.owners.get(owner) ?? 0,
    })
    fill()
    timer = setTimeout(look, everyMs)
    timer.unref()
  }

  function fill(): void {
    while (places.length < atOnce) {
      const next = waiting.findIndex((host) => places.filter((owner) => owner === ownerOf(host)).length < perOwner)
      const [host] = next === -1 ? [] : waiting.splice(next, 1)
      if (host === undefined) return
      if (canBegin(host)) takePlace(host)
    }
  }

  function takePlace(host: string): void {
    const owner = ownerOf(host)
    places.push(owner)
    last.owners.set(owner, (last.turn += 1))
    void start(host).then(() => {
      places.splice(places.indexOf(owner), 1)
      if (waiting.length === 0) look()
      else fill()
    })
  }

  function start(host: string): Promise<void> {
    last.hosts.set(host, (last.turn += 1))
    const done = Promise.resolve(host)
      .then(run)
      .catch((cause: unknown) => onFailure(host, cause))
      .finally(() => working.delete(host))
    working.set(host, done)
    return done
  }

  /** By hand, beside the others. */
  function begin(host: string): void {
    if (canBegin(host)) void start(host)
  }

  function want(hosts: readonly string[], whose: HostOwners = new Map()): void {
    wanted = new Set(hosts)
    owners = whose
    for (const host of last.hosts.keys()) if (!wanted.has(host)) last.hosts.delete(host)
    const left = new Set(hosts.map(ownerOf))
    for (const owner of last.owners.keys()) if (!left.has(owner)) last.owners.delete(owner)
    look()
  }

  async function close(): Promise<void> {
    isClosed = true
    clearTimeout(timer)
    await Promise.allSettled(working.values())
  }

  const isWanted = (host: string) => wanted.has(host)
  const isWorking = (host: string) => working.has(host)
  const finished = async (host: string): Promise<void> => working.get(host)
  return { look, begin, want, isWanted, isWorking, finished, close }
}

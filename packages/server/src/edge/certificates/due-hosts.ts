import { fairOrder } from '../../lib/fair-order.ts'

/** The owner of the host. Hosts without an owner are the platform's own. */
export type HostOwners = ReadonlyMap<string, number>

type Deps = {
  isDue: (host: string) => boolean
  run: (host: string) => Promise<void>
  onFailure: (host: string, cause: unknown) => void
  everyMs: number
  atOnce: number
  /** While the authority is only tried out, by-hand requests wait for their turn like all others. */
  isOneAtATime?: () => boolean
}

/**
 * Checks regularly which of the wanted hosts are due, and works on a few at a time, never twice on the same one. Owners take turns, and
 * one slot is reserved for owners that have no other, so that nobody waits for all the hosts of somebody else.
 */
export function createDueHosts(deps: Deps) {
  const { isDue, run, onFailure, everyMs, atOnce, isOneAtATime = () => false } = deps
  const working = createWorking(run, onFailure)
  /** Hosts being worked on that nobody requested by hand, by owner. */
  const places: (number | undefined)[] = []
  const turns = createTurns()
  let wanted = new Set<string>()
  let owners: HostOwners = new Map()
  let waiting: string[] = []
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const ownerOf = (host: string) => owners.get(host)
  const canBegin = (host: string) => !isClosed && !working.isWorking(host) && wanted.has(host) && isDue(host)

  function look(): void {
    clearTimeout(timer)
    if (isClosed) return
    waiting = turns.inOrder([...wanted].filter(canBegin), ownerOf)
    fill()
    timer = setTimeout(look, everyMs)
    timer.unref()
  }

  function fill(): void {
    while (isOneAtATime() ? working.count() === 0 : places.length < atOnce) {
      const next = waiting.findIndex((host) => places.filter((owner) => owner === ownerOf(host)).length < Math.max(1, atOnce - 1))
      const [host] = next === -1 ? [] : waiting.splice(next, 1)
      if (host === undefined) return
      if (canBegin(host)) takePlace(host)
    }
  }

  function start(host: string): Promise<void> {
    turns.noteHost(host)
    return working.start(host)
  }

  function takePlace(host: string): void {
    const owner = ownerOf(host)
    places.push(owner)
    turns.noteOwner(owner)
    void start(host).then(() => {
      places.splice(places.indexOf(owner), 1)
      if (waiting.length === 0) look()
      else fill()
    })
  }

  /** Requested by hand, in addition to the regular slots. */
  function begin(host: string): void {
    if (isOneAtATime()) look()
    else if (canBegin(host)) void start(host)
  }

  function want(hosts: readonly string[], whose: HostOwners = new Map()): void {
    wanted = new Set(hosts)
    owners = whose
    turns.keepOnly(wanted, new Set(hosts.map(ownerOf)))
    look()
  }

  async function close(): Promise<void> {
    isClosed = true
    clearTimeout(timer)
    await working.allEnded()
  }

  const isWanted = (host: string) => wanted.has(host)
  return { look, begin, want, isWanted, ownerOf, isWorking: working.isWorking, finished: working.finished, close }
}

/** The hosts being worked on. */
function createWorking(run: Deps['run'], onFailure: Deps['onFailure']) {
  const working = new Map<string, Promise<void>>()

  function start(host: string): Promise<void> {
    const done = Promise.resolve(host)
      .then(run)
      .catch((cause: unknown) => onFailure(host, cause))
      .finally(() => working.delete(host))
    working.set(host, done)
    return done
  }

  return {
    start,
    isWorking: (host: string) => working.has(host),
    count: () => working.size,
    finished: async (host: string): Promise<void> => working.get(host),
    allEnded: () => Promise.allSettled(working.values()),
  }
}

type Owner = number | undefined

/** When each host and each owner had a turn last. */
function createTurns() {
  const hosts = new Map<string, number>()
  const owners = new Map<Owner, number>()
  let turn = 0

  function inOrder(due: readonly string[], ownerOf: (host: string) => Owner): string[] {
    const last = (host: string) => hosts.get(host) ?? 0
    return fairOrder(due, { owner: ownerOf, last, lastOfOwner: (owner) => owners.get(owner) ?? 0 })
  }

  function keepOnly(wanted: ReadonlySet<string>, wantedOwners: ReadonlySet<Owner>): void {
    for (const host of hosts.keys()) if (!wanted.has(host)) hosts.delete(host)
    for (const owner of owners.keys()) if (!wantedOwners.has(owner)) owners.delete(owner)
  }

  return {
    inOrder,
    keepOnly,
    noteHost: (host: string) => void hosts.set(host, (turn += 1)),
    noteOwner: (owner: Owner) => void owners.set(owner, (turn += 1)),
  }
}

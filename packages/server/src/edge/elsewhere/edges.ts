import { setTimeout as sleep } from 'node:timers/promises'
import type { Edge, EdgeCertificate, EdgeRoutes, EdgeTarget } from '../edge.ts'

/** One edge on another server, and whether its agent answered last. */
export type EdgeThere = {
  readonly edge: Edge
  readonly there: (certificate: EdgeCertificate) => EdgeCertificate
  readonly targetsThere: (targets: readonly EdgeTarget[]) => EdgeTarget[]
  /** Takes what its log of requests has since the last time. */
  readonly countVisits: () => Promise<void>
  readonly isAway: () => boolean
}
export type ServerEdge = { readonly state: 'off' | 'current' | 'behind' | 'unreachable'; readonly message: string }
type Deps<Server> = {
  open: (server: Server) => EdgeThere
  log: { warn(fields: object, message: string): void }
}
type Running = EdgeThere & { name: string; hasRoutes: boolean; answers: Set<string>; isBehind: boolean; pending: Promise<void> }

/** How long a switch waits for the edges of other servers. One that is lost has no visitors; one that is slow catches up. */
const WAIT_MS = 5000
const CLOSE_MS = 2000
const STARTING = 'It is being started.'
const AWAY = 'Berth does not reach its agent there. It goes on serving what it had.'

type Place = { readonly nodeId: string; readonly serverId: string; readonly name: string }

/** Which edges there are, and what each was told last. */
function createRunning<Server extends Place>({ open, log }: Deps<Server>, begin: (one: Running) => Promise<void>) {
  const running = new Map<string, Running>()
  let names = new Map<string, string>()

  /** Never rejects: the controller tries again by itself. */
  function tell(one: Running, work: (one: Running) => Promise<void>): void {
    const mine = work(one).then(
      () => void (one.isBehind = !one.hasRoutes),
      (err: unknown) => {
        if (!one.isBehind) log.warn({ err, server: one.name }, 'The edge of another server is not up to date')
        one.isBehind = true
      },
    )
    one.pending = Promise.all([one.pending, mine]).then(() => undefined)
  }

  function add(server: Server): void {
    const told = { hasRoutes: false, answers: new Set<string>(), isBehind: true, pending: Promise.resolve() }
    const one: Running = { ...open(server), name: server.name, ...told }
    running.set(server.nodeId, one)
    tell(one, begin)
  }

  /** From now on these are told, and no others. */
  async function keep(servers: readonly Server[]): Promise<void> {
    names = new Map(servers.map(({ serverId, nodeId }) => [serverId, nodeId]))
    const wanted = new Set(names.values())
    for (const [nodeId, { edge }] of running) {
      if (wanted.has(nodeId)) continue
      running.delete(nodeId)
      await edge.close()
    }
    for (const server of servers) if (!running.has(server.nodeId)) add(server)
  }

  /** Waits for those that were up to date. */
  async function settled(): Promise<void> {
    const waited = [...running.values()].filter(({ isBehind }) => !isBehind).map(({ pending }) => pending)
    if (waited.length > 0) await Promise.race([Promise.all(waited), sleep(WAIT_MS, undefined, { ref: false })])
  }

  return {
    keep,
    settled,
    tellAll: (work: (one: Running) => Promise<void>): void => {
      for (const one of running.values()) tell(one, work)
    },
    all: (): Running[] => [...running.values()],
    find: (serverId: string): Running | undefined => running.get(names.get(serverId) ?? ''),
  }
}

/**
 * The edges of other servers. Each has a controller like the one of this server, and all get the same routes, certificates and challenges.
 * What they cannot be told now they are told when they answer again.
 */
export function createEdgesElsewhere<Server extends Place>(deps: Deps<Server>) {
  const challenges = new Map<string, string>()
  let routes: EdgeRoutes | undefined
  let certificates: readonly EdgeCertificate[] | undefined
  const { keep, settled, tellAll, all, find } = createRunning(deps, begin)

  async function begin(one: Running): Promise<void> {
    const known = certificates?.map(one.there)
    // at once: one that fails now has been told both, and tries again by itself
    await Promise.all([known && one.edge.setCertificates(known), routes && update(one, routes)])
  }

  async function update(one: Running, wanted: EdgeRoutes): Promise<void> {
    await one.edge.update(async () => routes ?? wanted)
    one.hasRoutes = true
    await addChallenges(one, challenges)
  }

  return {
    keep,
    stateOf: (serverId: string): ServerEdge => stateOf(find(serverId)),
    settled,
    /** What this server's edge is about to serve. */
    take(wanted: EdgeRoutes): void {
      routes = wanted
      tellAll(async (one) => await update(one, wanted))
    },
    setCertificates(wanted: readonly EdgeCertificate[]): void {
      certificates = wanted
      tellAll(async (one) => await one.edge.setCertificates(wanted.map(one.there)))
    },
    addChallenge(token: string, answer: string): void {
      challenges.set(token, answer)
      tellAll(async (one) => await addChallenges(one, challenges))
    },
    removeChallenge(token: string): void {
      challenges.delete(token)
      tellAll(async (one) => {
        one.answers.delete(token)
        await one.edge.removeChallenge(token)
      })
    },
    /** Of those that answer: what is in flight at a lost one is lost with it. */
    inFlight: async (targets: readonly EdgeTarget[]): Promise<number> => await inFlightAt(all(), targets),
    countVisits: async (): Promise<void> =>
      void (await Promise.allSettled(
        all()
          .filter(({ isAway }) => !isAway())
          .map(async (one) => await one.countVisits()),
      )),
    repair: (): void => tellAll(async (one) => await one.edge.repair()),
    close: async (): Promise<void> => await keep([]),
  }
}

function stateOf(one: Running | undefined): ServerEdge {
  if (one === undefined) return { state: 'behind', message: STARTING }
  if (one.isAway()) return { state: 'unreachable', message: AWAY }
  const { state, message } = one.edge.state()
  if (state !== 'ready') return { state: 'behind', message: state === 'starting' ? STARTING : message }
  return one.isBehind ? { state: 'behind', message: STARTING } : { state: 'current', message: '' }
}

/** An edge that has no routes yet refuses them, and gets them after its routes. */
async function addChallenges(one: Running, challenges: ReadonlyMap<string, string>): Promise<void> {
  for (const [token, answer] of one.hasRoutes ? challenges : []) {
    if (one.answers.has(token)) continue
    await one.edge.addChallenge(token, answer)
    one.answers.add(token)
  }
}

async function inFlightAt(all: readonly Running[], targets: readonly EdgeTarget[]): Promise<number> {
  const reached = all.filter(({ isBehind, isAway }) => !isBehind && !isAway())
  const counts = await Promise.all(reached.map(async (one) => await one.edge.inFlight(one.targetsThere(targets)).catch(() => 0)))
  return counts.reduce((sum, count) => sum + count, 0)
}

type All = Omit<ReturnType<typeof createEdgesElsewhere>, 'keep' | 'stateOf' | 'countVisits'>

/** The edge of this server, and beside it those of others, as one. What it promises, it promises for its own: the others may be lost. */
export function createAllEdges(own: Edge, others: All): Edge {
  return {
    ...own,
    async update(read) {
      await own.update(async () => {
        const routes = await read()
        others.take(routes)
        return routes
      })
      await others.settled()
    },
    async setCertificates(certificates) {
      others.setCertificates(certificates)
      await own.setCertificates(certificates)
    },
    async addChallenge(token, answer) {
      await own.addChallenge(token, answer)
      others.addChallenge(token, answer)
      await others.settled()
    },
    async removeChallenge(token) {
      others.removeChallenge(token)
      await own.removeChallenge(token)
    },
    inFlight: async (targets) => (await own.inFlight(targets)) + (await others.inFlight(targets)),
    async repair() {
      others.repair()
      await own.repair()
    },
    async close() {
      await Promise.race([others.close(), sleep(CLOSE_MS, undefined, { ref: false })]) // one that does not answer is not waited for
      await own.close()
    },
  }
}

import { createEdgeController, type EdgeDeps } from '../edge/controller.ts'
import { type EdgeLog, EdgeProblem } from '../edge/edge.ts'
import type { AskThere } from '../edge/elsewhere/ask.ts'
import { createEdgesElsewhere, type EdgeThere, type ServerEdge } from '../edge/elsewhere/edges.ts'
import { createHostElsewhere } from '../edge/elsewhere/host.ts'
import { createPlaceElsewhere } from '../edge/elsewhere/place.ts'
import type { HaproxySettings } from '../edge/haproxy/terms.ts'
import type { EdgeHost } from '../edge/host/container.ts'
import { edgePaths } from '../edge/paths.ts'
import { EngineUnreachable } from '../engine/api/errors.ts'
import { record, texts } from '../engine/api/json.ts'
import type { Engine } from '../engine/engine.ts'
import { APP_ADDRESSES } from '../engine/subnets.ts'
import { EDGE_DIRECTORY } from '../engine/swarm/edge-agent-program.ts'
import type { EdgeServer } from '../engine/swarm/edge-agents.ts'

export type OtherEdgesDeps = Pick<EdgeDeps, 'image' | 'certificates' | 'newId' | 'now'> & {
  engine: Pick<Engine, 'edgesElsewhere'>
  instance: string
  /** Whoever makes the image of the edge on this server. */
  host: EdgeHost | undefined
  certificatesDir: string
  runAs: NonNullable<HaproxySettings['runAs']>
  repairEveryMs: number
  isLeading: () => boolean
  /** Called with each line of their logs of requests. */
  onVisit: (line: string) => void
  log: EdgeLog
}

/** Of one answer, which comes every few seconds. */
const MOST_LINES = 200_000
const [HTTP, HTTPS] = [80, 443]
const TOLD_BY_ANOTHER = 'Another control plane tells it what to serve, the one that runs the single loops: ask there how it is.'

/** The edges of other servers: which there are, and a controller for each. */
export function createOtherEdges(deps: OtherEdgesDeps) {
  const { engine, instance, isLeading } = deps
  const known = new Map<string, EdgeServer>()
  const open = createOpen(deps, (nodeId) => known.get(nodeId))
  const edges = createEdgesElsewhere<EdgeServer>({ open, log: deps.log })

  /** Repeatedly. A control plane that does not lead any more tells nobody. */
  async function keep(): Promise<void> {
    if (!isLeading()) return await edges.close()
    await engine.edgesElsewhere?.keep(instance, async (servers) => {
      known.clear()
      for (const server of servers) known.set(server.nodeId, server)
      await edges.keep(servers)
    })
  }

  return {
    edges,
    keep,
    /** Repeatedly. */
    countVisits: edges.countVisits,
    /** Where visitors can come in. */
    addresses: (): string[] => [...known.values()].map(({ address }) => address),
    stateOf: (serverId: string): ServerEdge => (isLeading() ? edges.stateOf(serverId) : { state: 'unreachable', message: TOLD_BY_ANOTHER }),
  }
}

/** The controller of one of them. It is the same as that of this server, with other hands. */
function createOpen(deps: OtherEdgesDeps, find: (nodeId: string) => EdgeServer | undefined) {
  const { host, instance } = deps
  const paths = edgePaths(EDGE_DIRECTORY)
  const own = () => {
    if (deps.engine.edgesElsewhere === undefined || host === undefined)
      throw new EdgeProblem('Starting a proxy is turned off (BERTH_PROVISION).')
    return { edges: deps.engine.edgesElsewhere, host }
  }

  return ({ nodeId, cores }: EdgeServer): EdgeThere => {
    let [isAway, networks]: [boolean, readonly string[]] = [false, []]
    const ask: AskThere = async (call, given) => {
      const { agentAddress: address, isReady = false } = find(nodeId) ?? {}
      try {
        if (address === undefined) throw new EngineUnreachable('the agent of the edge on that server does not run')
        const answer = texts(record(await own().edges.ask(nodeId, address, call, given)))
        isAway = false
        return answer
      } catch (cause) {
        isAway = cause instanceof EngineUnreachable && (address !== undefined || !isReady) // one that has just been switched on has none yet
        throw cause
      }
    }
    const all = async () => [await own().edges.network(instance), ...networks]
    const onNetworks = async (wanted: readonly string[]) => {
      networks = wanted
      await ask('networks', { networks: await all() })
    }
    const reach = async (addresses: readonly string[]) => await own().edges.reach(instance, addresses)
    const { place, ...seen } = createPlaceElsewhere({ ask, paths, certificatesDir: deps.certificatesDir, reach, onNetworks })
    const ensureImageHere: EdgeHost['ensureImage'] = async (source) => await own().host.ensureImage(source)
    let isFed = false
    const edge = createEdgeController({
      ...deps,
      settings: settingsThere(deps, cores),
      host: createHostElsewhere({
        ask,
        ensureImageHere,
        published: async (image) => await own().edges.image(instance, image),
        networks: all,
      }),
      certificates: async () => (await deps.certificates()).map(seen.there),
      mayStart: () => isFed,
      onReload: () => void ask('follow').catch(() => undefined), // it follows the new process as soon as the old one has ended
      place: { ...place, seenFromThere: async (routes) => await place.seenFromThere(routes).finally(() => (isFed = true)) },
    })
    const countVisits = async () => {
      const { lines = '' } = await ask('served')
      for (const line of lines.split('\n', MOST_LINES)) deps.onVisit(line)
    }
    return { edge, ...seen, countVisits, isAway: () => isAway }
  }
}

function settingsThere({ runAs }: Pick<OtherEdgesDeps, 'runAs'>, cores: number): HaproxySettings {
  return { dir: EDGE_DIRECTORY, httpPort: HTTP, httpsPort: HTTPS, ipv6: false, cores, containerNetworks: [APP_ADDRESSES], runAs }
}

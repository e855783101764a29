import { randomUUID } from 'node:crypto'
import { availableParallelism, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { createEdgeController } from '../edge/controller.ts'
import { createAllEdges } from '../edge/elsewhere/edges.ts'
import type { EdgeHost } from '../edge/host/container.ts'
import { edgeImageContext } from '../edge/host/image.ts'
import { hasIpv6 } from '../edge/host/port-check.ts'
import { edgePaths } from '../edge/paths.ts'
import { createAccessCounts } from '../edge/traffic/access-counts.ts'
import { APP_ADDRESSES } from '../engine/subnets.ts'
import { type CertificateDeps, createCertificateParts, createStoredCertificates } from './certificate-parts.ts'
import { createOtherEdges, type OtherEdgesDeps } from './other-edges.ts'

type Deps = CertificateDeps & {
  host: EdgeHost | undefined
  instance: string
  engine: OtherEdgesDeps['engine']
  /** Of several control planes one tells the edges of other servers. */
  isLeading: () => boolean
  heartbeat: { mayStartEdge: () => boolean } | undefined
}

const RUN_AS = { uid: 65_534, gid: 65_534 }

/** Apps are in our own networks. Build steps are on the engine's default bridge; until it exists, its usual subnet is assumed. */
function containerNetworks(): string[] {
  const bridge = networkInterfaces()['docker0']?.find((entry) => entry.family === 'IPv4')?.cidr
  return [APP_ADDRESSES, bridge ?? '172.17.0.1/16']
}

/** Everything about the edge, created top to bottom. */
export async function createEdgeParts(deps: Deps) {
  const { config, log, now } = deps
  const dir = join(config.dataDir, 'edge')
  const paths = edgePaths(dir)
  const stored = createStoredCertificates(deps, paths)
  const { httpPort, httpsPort } = config.edge
  const machine = { ipv6: await hasIpv6(), cores: availableParallelism(), containerNetworks: containerNetworks() }
  const settings = { dir, node: config.nodeName, httpPort, httpsPort, ...machine, runAs: RUN_AS }
  const accessCounts = createAccessCounts({ socketPath: paths.socket, now })
  const image = { pull: 'haproxy:lts', build: `berth/edge:${deps.instance}`, context: edgeImageContext }
  const shared = { ...deps, image, newId: randomUUID, repairEveryMs: config.tuning.edgeRepairMs, certificates: stored.store.list }
  const otherEdges = createOtherEdges({ ...shared, certificatesDir: paths.certificatesDir, runAs: RUN_AS, onVisit: accessCounts.read })
  const own = createEdgeController({
    settings,
    host: deps.host,
    image,
    certificates: stored.store.list,
    mayStart: deps.heartbeat?.mayStartEdge,
    log,
    now,
    newId: randomUUID,
    onReload: accessCounts.reopen,
    repairEveryMs: config.tuning.edgeRepairMs,
  })
  const edge = createAllEdges(own, otherEdges.edges)
  const certificateParts = createCertificateParts({ ...deps, otherAddresses: otherEdges.addresses }, edge, stored)

  async function close(): Promise<void> {
    accessCounts.close()
    await certificateParts.certificates.close()
    await edge.close()
  }

  return { edge, otherEdges, accessCounts, close, ...certificateParts }
}

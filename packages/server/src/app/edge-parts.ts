import { randomUUID } from 'node:crypto'
import { availableParallelism, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { createEdgeController } from '../edge/controller.ts'
import type { EdgeHost } from '../edge/host/container.ts'
import { edgeImageContext } from '../edge/host/image.ts'
import { hasIpv6 } from '../edge/host/port-check.ts'
import { edgePaths } from '../edge/paths.ts'
import { createAccessCounts } from '../edge/traffic/access-counts.ts'
import { APP_ADDRESSES } from '../engine/subnets.ts'
import { type CertificateDeps, createCertificateParts, createStoredCertificates } from './certificate-parts.ts'

type Deps = CertificateDeps & {
  host: EdgeHost | undefined
  instance: string
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
  const edge = createEdgeController({
    settings,
    host: deps.host,
    image: { pull: 'haproxy:lts', build: `berth/edge:${deps.instance}`, context: edgeImageContext },
    certificates: stored.store.list,
    mayStart: deps.heartbeat?.mayStartEdge,
    log,
    now,
    newId: randomUUID,
    onReload: accessCounts.reopen,
    repairEveryMs: config.tuning.edgeRepairMs,
  })
  const certificateParts = createCertificateParts(deps, edge, stored)

  async function close(): Promise<void> {
    accessCounts.close()
    await certificateParts.certificates.close()
    await edge.close()
  }

  return { edge, accessCounts, close, ...certificateParts }
}

import { randomUUID } from 'node:crypto'
import { availableParallelism, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '@berth/contract'
import type { Config } from '../config.ts'
import { createAcme } from '../edge/certificates/acme.ts'
import { createIssueAttempts } from '../edge/certificates/attempts.ts'
import { createCertificates } from '../edge/certificates/certificates.ts'
import { createResolve } from '../edge/certificates/dns-check.ts'
import { createCertificateIssuer } from '../edge/certificates/issuer.ts'
import { createPreflight } from '../edge/certificates/preflight.ts'
import type { CertificateStatus } from '../edge/certificates/status.ts'
import { createCertificateStore } from '../edge/certificates/store.ts'
import { createEdgeController } from '../edge/controller.ts'
import type { EdgeRoutes } from '../edge/edge.ts'
import type { EdgeHost } from '../edge/host/container.ts'
import { edgeImageContext } from '../edge/host/image.ts'
import { hasIpv6 } from '../edge/host/port-check.ts'
import { edgePaths } from '../edge/paths.ts'
import { createAccessCounts } from '../edge/traffic/access-counts.ts'
import { APP_ADDRESSES } from '../engine/subnets.ts'
import type { Logger } from '../lib/logger.ts'

type Deps = {
  config: Config
  host: EdgeHost | undefined
  instance: string
  settings: () => Pick<Settings, 'acmeEmail' | 'acmeDirectory'>
  routes: () => Promise<EdgeRoutes | undefined>
  onStatus: (host: string, status: CertificateStatus) => void
  now: () => Date
  log: Logger
}

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'
const RUN_AS = { uid: 65_534, gid: 65_534 }

/** The container bridges have addresses on this machine that no visitor can reach. */
const ENGINE_INTERFACE = /^(docker\d|docker_gwbridge$|br-[0-9a-f]{12}$|veth)/

/** The machine's own addresses. Behind NAT its public address is a different one. */
function ownAddresses(): string[] {
  const interfaces = Object.entries(networkInterfaces()).filter(([name]) => !ENGINE_INTERFACE.test(name))
  const all = interfaces.flatMap(([, entries]) => entries ?? [])
  return all.filter((entry) => !entry.internal && !entry.address.startsWith('fe80')).map((entry) => entry.address)
}

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
  const store = createCertificateStore({ dir: paths.certificatesDir })
  const { httpPort, httpsPort } = config.edge
  const machine = { ipv6: await hasIpv6(), cores: availableParallelism(), containerNetworks: containerNetworks() }
  const settings = { dir, httpPort, httpsPort, ...machine, runAs: RUN_AS }
  const accessCounts = createAccessCounts({ socketPath: paths.socket, now })
  const edge = createEdgeController({
    settings,
    host: deps.host,
    image: { pull: 'haproxy:lts', build: `berth/edge:${deps.instance}`, context: edgeImageContext },
    routes: deps.routes,
    certificates: store.list,
    log,
    now,
    newId: randomUUID,
    onReload: accessCounts.reopen,
    repairEveryMs: config.tuning.edgeRepairMs,
  })
  const resolve = createResolve()
  const attempts = createIssueAttempts({ path: join(dir, 'attempts.json') })
  const preflight = createPreflight({ edge, resolve, addresses: ownAddresses, newToken: randomUUID })
  const acmeSettings = () => ({
    directoryUrl: deps.settings().acmeDirectory || LETS_ENCRYPT,
    email: deps.settings().acmeEmail || undefined,
  })
  const acme = createAcme({ settings: acmeSettings, accountKeyPath: join(dir, 'acme-account.pem'), edge })
  const directory = () => acmeSettings().directoryUrl
  const issuer = createCertificateIssuer({ store, attempts, acme, preflight, directory, log, now, random: Math.random })
  const certificates = createCertificates({
    store,
    attempts,
    issuer,
    directory,
    edge,
    events: { onStatus: deps.onStatus },
    log,
    now,
    everyMs: config.tuning.certificateLookMs,
  })

  async function close(): Promise<void> {
    accessCounts.close()
    await certificates.close()
    await edge.close()
  }

  return {
    edge,
    certificates,
    accessCounts,
    checkDns: preflight.check,
    close,
  }
}

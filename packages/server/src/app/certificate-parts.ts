import { randomUUID } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import type { Settings } from '@berth/contract'
import type { Config } from '../config.ts'
import { createAccountKey } from '../edge/certificates/account-key.ts'
import { createAccountPause } from '../edge/certificates/account-pause.ts'
import { createAcme } from '../edge/certificates/acme.ts'
import { createAdoptFiles } from '../edge/certificates/adopt-files.ts'
import { createIssueAttempts } from '../edge/certificates/attempts.ts'
import { createCertificateFiles } from '../edge/certificates/certificate-files.ts'
import { createCertificates, type Orders } from '../edge/certificates/certificates.ts'
import { createResolve } from '../edge/certificates/dns-check.ts'
import { createCertificateIssuer } from '../edge/certificates/issuer.ts'
import { createCertificateStore } from '../edge/certificates/kept-certificates.ts'
import { createOrderBudget } from '../edge/certificates/order-budget.ts'
import { createPreflight } from '../edge/certificates/preflight.ts'
import { createSharedChallenges } from '../edge/certificates/shared-challenges.ts'
import type { CertificateStatus } from '../edge/certificates/status.ts'
import type { Edge } from '../edge/edge.ts'
import type { EdgePaths } from '../edge/paths.ts'
import type { Logger } from '../lib/logger.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { Db } from '../store/database.ts'

export type CertificateDeps = {
  config: Config
  db: Db
  secrets: SecretBox
  /** Of this run, and who orders certificates, if there are several nodes. */
  node: { bootId: string; orders: Orders } | undefined
  settings: () => Pick<Settings, 'acmeEmail' | 'acmeDirectory'>
  onStatus: (host: string, status: CertificateStatus) => void
  /** The name above a host that its owner shares with others. */
  sharedName: (host: string, ownerId: number) => Promise<string | undefined>
  now: () => Date
  log: Logger
}

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'

/** The container bridges have addresses on this machine that no visitor can reach. */
const ENGINE_INTERFACE = /^(docker\d|docker_gwbridge$|br-[0-9a-f]{12}$|veth)/

/** The machine's own addresses. Behind NAT its public address is a different one. */
function ownAddresses(): string[] {
  const interfaces = Object.entries(networkInterfaces()).filter(([name]) => !ENGINE_INTERFACE.test(name))
  const all = interfaces.flatMap(([, entries]) => entries ?? [])
  return all.filter((entry) => !entry.internal && !entry.address.startsWith('fe80')).map((entry) => entry.address)
}

/** The certificates in the database, from which the edge reads at its start. */
export function createStoredCertificates({ db, secrets, log, now }: CertificateDeps, paths: EdgePaths) {
  const files = createCertificateFiles({ dir: paths.certificatesDir })
  const adopt = createAdoptFiles({ db, secrets, files, dir: paths.dir, log })
  const store = createCertificateStore({ db, secrets, files, adopt, log, now })
  return { store, attempts: createIssueAttempts({ db, adopt }), accountKey: createAccountKey({ db, secrets, adopt }) }
}

type Stored = ReturnType<typeof createStoredCertificates>

/** Everything that orders certificates, and that answers for them. */
export function createCertificateParts(
  deps: CertificateDeps & { /** Of the other servers that visitors come in over. */ otherAddresses: () => readonly string[] },
  edge: Edge,
  { store, attempts, accountKey }: Stored,
) {
  const { config, db, node, sharedName, log, now } = deps
  const shared = node && createSharedChallenges({ db, bootId: node.bootId, edge, log, now })
  const challenges = shared ?? edge
  const addresses = () => [...ownAddresses(), ...deps.otherAddresses()]
  const preflight = createPreflight({ edge: challenges, resolve: createResolve(), addresses, newToken: randomUUID })
  const settings = () => ({ directoryUrl: deps.settings().acmeDirectory || LETS_ENCRYPT, email: deps.settings().acmeEmail || undefined })
  const acme = createAcme({ settings, accountKey, edge: challenges })
  const directory = () => settings().directoryUrl
  const pause = createAccountPause({ attempts, directory, now })
  const budget = createOrderBudget({ db, now, sharedName })
  const issuer = createCertificateIssuer({ store, attempts, acme, preflight, budget, pause, directory, log, now, random: Math.random })
  const certificates = createCertificates({
    store,
    attempts,
    issuer,
    pause,
    directory,
    edge,
    events: { onStatus: deps.onStatus },
    log,
    now,
    ...(node && { orders: node.orders }),
    everyMs: config.tuning.certificateLookMs,
  })

  /** Serves what other nodes have stored, and answers their challenges. */
  async function followOthers(): Promise<void> {
    await certificates.follow()
    await shared?.follow()
  }

  return { certificates, followOthers, checkDns: preflight.check }
}

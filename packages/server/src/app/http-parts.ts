import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Server } from '@berth/contract'
import { whyNoCertificate } from '../edge/certificates/status.ts'
import type { EdgeState } from '../edge/edge.ts'
import { createRunCommand } from '../features/backups/run-command.ts'
import { createBackups } from '../features/backups/service.ts'
import { createFindContainer } from '../features/containers/find-container.ts'
import { createMeasure } from '../features/figures/measure.ts'
import { createFigures } from '../features/figures/service.ts'
import { createSharedTraffic } from '../features/figures/shared-traffic.ts'
import { createDoctor } from '../features/health/doctor.ts'
import { healthHandlers } from '../features/health/routes.ts'
import { createMetricsHistory, type MetricsHistoryKeeper } from '../features/metrics/history.ts'
import { readCounters } from '../features/metrics/machine.ts'
import { createNodes } from '../features/nodes/service.ts'
import { createServers } from '../features/servers/service.ts'
import { type Connections, createConnections } from '../http/connections.ts'
import { dashboardDirectory } from '../http/dashboard-files.ts'
import { createFairTurns } from '../http/fair-turns.ts'
import type { Gate } from '../http/implement.ts'
import { createPolicies } from '../http/policies.ts'
import { createHttpServer } from '../http/server.ts'
import { createWebSockets } from '../http/websocket.ts'
import { COMMIT, VERSION } from '../lib/version.ts'
import type { Reader } from '../store/database.ts'
import type { AccessParts } from './access-parts.ts'
import { commandEnvironment } from './command-environment.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'
import type { GitParts } from './git-parts.ts'
import type { ProjectParts } from './project-parts.ts'
import type { RegistryParts } from './registry-parts.ts'
import { handlersOf } from './routes.ts'
import type { SourceAccessParts } from './source-access-parts.ts'
import { createStorageParts } from './storage-parts.ts'
import { createStreams } from './streams.ts'
import type { TrafficParts } from './traffic-parts.ts'
import { createUpdateParts, type Supervised } from './update-parts.ts'
import type { WorkParts } from './work-parts.ts'

type Parts = {
  base: Foundation
  engineParts: EngineParts
  gitParts: GitParts
  registries: RegistryParts
  sourceAccess: SourceAccessParts
  access: AccessParts
  traffic: TrafficParts
  work: WorkParts
  projects: ProjectParts
  supervised: Supervised | undefined
  isStopping: () => boolean
  /** Whether this node runs the loops that must be single. */
  isLeading: () => boolean
}

/** The checks of `/health`. */
function healthSources({ base, engineParts, traffic, work }: Parts) {
  const { edge, edgeParts } = traffic
  return {
    version: VERSION,
    startedAt: base.startedAt,
    now: base.now,
    database: () => base.database.state(),
    hasDatabaseServer: base.config.database.kind === 'postgres',
    engine: engineParts.engineWatch.health,
    edge: () => engineParts.engineWatch.edgeHealth(edge.state()),
    isQueueStalled: work.worker.isStalled,
    isDiskFull: base.isDiskFull,
    isBehind: () => traffic.routing.shared?.isBehind() ?? false,
    firewall: engineParts.firewalls.message,
    dashboardCertificate: () => {
      const { dashboardDomain } = base.settings()
      return whyNoCertificate(dashboardDomain, edgeParts.certificates.status(dashboardDomain))
    },
  }
}

function createBackupKeeper({ config, db, settings, log, now }: Foundation, runCommand: ReturnType<typeof createRunCommand>) {
  const { dataDir, backupPassphrase } = config
  return createBackups({
    db,
    directory: join(dataDir, 'backups'),
    restoreCommand: config.updates.root === undefined ? 'npm start -- restore' : 'berth-server restore',
    isEncrypted: backupPassphrase !== undefined,
    settings,
    runCommand,
    log,
    now,
  })
}

function createServerParts(
  { db, instance, now, log, background }: Foundation,
  { engine }: EngineParts,
  { history, port, traffic }: { history: MetricsHistoryKeeper; port: () => number; traffic: TrafficParts },
) {
  const onSwitched = () => {
    background.wake('firewall') // the engine may reach other servers from then on
    background.wake('images for other servers')
    background.wake('old images for other servers')
  }
  const edges = { ownEdge: () => ownEdge(traffic.edge.state()), edgeOf: traffic.edgeParts.otherEdges.stateOf }
  const onEdges = () => background.wake('edges of other servers')
  return createServers({ db, engine, instance, metrics: history.read, now, log, onSwitched, onEdges, port, ...edges })
}

function ownEdge({ state, message }: EdgeState): Server['edge'] {
  if (state === 'ready') return { state: 'current', message: '' }
  return { state: state === 'off' ? 'off' : 'behind', message }
}

/** The metrics of apps; with several nodes, of the traffic of all edges. */
function createFigureParts({ base, engineParts, traffic, isLeading }: Parts) {
  const { db, instance, node, now } = base
  const { take } = traffic.edgeParts.accessCounts
  const sharedTraffic = node && createSharedTraffic({ db, node: node.name, take, isHolder: isLeading })
  const measure = createMeasure({ engine: engineParts.engine, instance })
  const takeTraffic = sharedTraffic?.takeAll ?? take
  return { sharedTraffic, figures: createFigures({ db, measure, takeTraffic, now, isShared: sharedTraffic !== undefined }) }
}

/** The one that it listens on: the setting may be 0. */
function portOf([address]: readonly (string | AddressInfo)[]): number | undefined {
  return typeof address === 'object' ? address.port : undefined
}

/** Who may do what, for requests and sockets alike. */
function createGate({ base, engineParts, access, gitParts, sourceAccess, traffic }: Parts, connections: Connections): Gate {
  const { db, instance } = base
  const findContainer = createFindContainer({ engine: engineParts.engine, instance })
  const loadersIn = (reader: Reader) => createPolicies({ db: reader, findContainer })
  return {
    authentication: access.authentication,
    loaders: loadersIn(db),
    loadersIn,
    mayBeSigned: gitParts.mayBeSigned,
    hookedApp: sourceAccess.hookedApp,
    connections,
    turns: createFairTurns(),
    onCaller: traffic.serverAddress.seen,
  }
}

/** The HTTP server: the API, the dashboard's files and the sockets. */
export async function createHttpParts(parts: Parts) {
  const { base, engineParts, access, traffic, work, projects, isStopping } = parts
  const { config, db, log, now, tuning } = base
  const health = healthSources(parts)
  const metricsHistory = createMetricsHistory({ dataDir: config.dataDir, first: await readCounters(), now })
  const { figures, sharedTraffic } = createFigureParts(parts)
  // Backups, copies and checks are made in processes of their own.
  const runCommand = createRunCommand({ program: config.program, env: commandEnvironment(config) })
  const backups = createBackupKeeper(base, runCommand)
  const updates = createUpdateParts({
    base,
    engineParts,
    supervised: parts.supervised,
    work,
    runCommand,
    health: healthHandlers(health).health,
  })
  const port = () => portOf(http.addresses()) ?? config.port
  const servers = createServerParts(base, engineParts, { history: metricsHistory, port, traffic })
  const handlers = handlersOf({
    db,
    ...access,
    ...projects,
    ...work,
    ...createStorageParts(base, engineParts),
    ...parts.gitParts,
    ...parts.registries,
    ...parts.sourceAccess,
    domains: traffic.domains,
    settings: traffic.settings,
    traffic: traffic.edgeParts.accessCounts,
    running: { version: VERSION, commit: COMMIT, startedAt: base.startedAt.toISOString() },
    health,
    doctor: createDoctor({ runCommand }),
    metricsHistory,
    figures,
    backups,
    updates,
    servers,
    nodes: createNodes({ db, bootId: base.node?.bootId, now }),
  })
  const connections = createConnections()
  const gate = createGate(parts, connections)
  const { authentication, loaders } = gate
  const http = await createHttpServer({
    log,
    gate,
    connections,
    tuning,
    handlers,
    version: VERSION,
    dashboardDir: dashboardDirectory(),
    isStopping,
  })
  const streams = createStreams({ base, engineParts, work, metricsHistory })
  const { server } = http
  const webSockets = createWebSockets({ server, authentication, loaders, connections, streams, newId: randomUUID, log, isStopping })
  return { http, webSockets, health, metricsHistory, figures, sharedTraffic, backups, updates, servers }
}

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '@berth/contract'
import type { Config } from '../config.ts'
import { appLane, enqueue } from '../domain/job-names.ts'
import { openConfig } from '../domain/release-config.ts'
import { whyNoCertificate } from '../edge/certificates/status.ts'
import { createEngine } from '../engine/engine.ts'
import { createFeed } from '../events/feed.ts'
import { createNudge } from '../events/nudge.ts'
import { createAppDeletion } from '../features/apps/deletion.ts'
import { createAppReading } from '../features/apps/reading.ts'
import { createApplications } from '../features/apps/service.ts'
import { checkSource, createProbeSource } from '../features/apps/source-check.ts'
import { createFailedTries } from '../features/auth/failed-tries.ts'
import { createFamiliarAddresses } from '../features/auth/familiar-addresses.ts'
import { createHashQueue } from '../features/auth/hash-queue.ts'
import { createLoginTurns } from '../features/auth/login-turns.ts'
import { createPasswordTries } from '../features/auth/password-tries.ts'
import { createPasswords } from '../features/auth/passwords.ts'
import { createAuth } from '../features/auth/service.ts'
import { createSetup } from '../features/auth/setup.ts'
import { createSlowDown } from '../features/auth/slow-down.ts'
import { listLoginAddresses } from '../features/auth/store.ts'
import { createFindContainer } from '../features/containers/find-container.ts'
import { createLiveRelease } from '../features/containers/live-release.ts'
import { createContainers } from '../features/containers/service.ts'
import { createContainerStreams } from '../features/containers/streams.ts'
import { createCancel } from '../features/deployments/cancel.ts'
import { createMakeRoom } from '../features/deployments/make-room.ts'
import { createNewestCommit } from '../features/deployments/newest-commit.ts'
import { createIsAsPlanned } from '../features/deployments/release/launchers/compose-planned.ts'
import { createDeployments } from '../features/deployments/service.ts'
import { findActive } from '../features/deployments/store.ts'
import { createDeploymentStreams } from '../features/deployments/streams.ts'
import { createDomainCertificates } from '../features/domains/certificates.ts'
import { createGeneratedDomains } from '../features/domains/generated-domain.ts'
import { ownRecords } from '../features/domains/own-address.ts'
import { createDomains } from '../features/domains/service.ts'
import { isHostTaken } from '../features/domains/store.ts'
import { createEnvVariables } from '../features/env-variables/service.ts'
import { createLiveEvents } from '../features/events/streams.ts'
import { createWebhookGate } from '../features/git-providers/webhook-gate.ts'
import { createEngineWatch } from '../features/health/engine-watch.ts'
import { createMetricsHistory } from '../features/metrics/history.ts'
import { readCounters } from '../features/metrics/machine.ts'
import { createServerMetrics } from '../features/metrics/server-metrics.ts'
import { createMetricsStreams } from '../features/metrics/streams.ts'
import { createPorts } from '../features/ports/service.ts'
import { createProjects } from '../features/projects/service.ts'
import { createSettings } from '../features/settings/service.ts'
import { readSettings } from '../features/settings/store.ts'
import { findTemplate, newSecret } from '../features/templates/templates.ts'
import { createUsers } from '../features/users/service.ts'
import { createGit } from '../git/git.ts'
import { createSourcePolicy } from '../git/source-policy.ts'
import { createProjectsLookup } from '../http/access-store.ts'
import { createAuthenticate } from '../http/authenticate.ts'
import { createConnections } from '../http/connections.ts'
import { dashboardDirectory } from '../http/dashboard-files.ts'
import { createPolicies } from '../http/policies.ts'
import { createHttpServer } from '../http/server.ts'
import { createSessionTokens } from '../http/session-token.ts'
import { createWebSockets } from '../http/websocket.ts'
import { withoutColours } from '../lib/clean-line.ts'
import { createLimiter } from '../lib/limiter.ts'
import type { Logger } from '../lib/logger.ts'
import { createRedactor } from '../lib/redact.ts'
import { createSecretBox } from '../lib/secret-box.ts'
import { secretFile } from '../lib/secret-file.ts'
import { createStep } from '../lib/step.ts'
import { COMMIT, VERSION } from '../lib/version.ts'
import { installDebianPackage } from '../provision/debian-packages.ts'
import { createFirewalls } from '../provision/firewalls.ts'
import { createProvisioning } from '../provision/provisioning.ts'
import { createBackground } from '../queue/periodic.ts'
import { lanesInQueue } from '../queue/queue-store.ts'
import { createWorker } from '../queue/worker.ts'
import { createLeftovers } from '../reconcile/leftovers.ts'
import { createReconcile } from '../reconcile/reconcile.ts'
import { createRemoval } from '../reconcile/remove-app.ts'
import { createRepair } from '../reconcile/repair.ts'
import { createRouting } from '../routing/traffic-switch.ts'
import { createIsDiskFull } from '../store/disk-space.ts'
import { instanceId } from '../store/instance-id.ts'
import { databasePath, openSqlite } from '../store/sqlite.ts'
import { createStorageLog } from '../store/storage-log.ts'
import { backgroundTasks } from './background-tasks.ts'
import { createDeploymentParts } from './deployment-parts.ts'
import { createEdgeParts } from './edge-parts.ts'
import { jobHandlers } from './jobs.ts'
import { handlersOf } from './routes.ts'

/** Everything that exists, created top to bottom. `start` sets it going, `stop` ends it in reverse. */
export async function createApp(config: Config, givenLog: Logger) {
  const now = () => new Date()
  const startedAt = now()
  const { tuning } = config
  const mayCreate = !existsSync(databasePath(config.dataDir))
  const secrets = createSecretBox(secretFile(join(config.dataDir, 'secrets.key'), { mayCreate }))
  const tokens = createSessionTokens(secretFile(join(config.dataDir, 'session.key'), { mayCreate }))
  const { log, over } = createStorageLog(givenLog)
  const nudge = createNudge()
  const database = await openSqlite({ dataDir: config.dataDir, now, onCommit: nudge.nudge, onRoom: over })
  const { db } = database
  const isDiskFull = createIsDiskFull({ database, dataDir: config.dataDir, fullDiskBytes: tuning.fullDiskBytes })
  const instance = await instanceId(db)
  const step = createStep(config.fault, (n, name) => log.info({ step: n, name }, 'step'))
  const background = createBackground(log)
  let isStopping = false
  let settingsNow: Settings = await readSettings(db)

  const provisioning = createProvisioning({ log, mode: config.provision, engine: config.engine, dataDir: config.dataDir })
  const edgePorts = [config.edge.httpPort, config.edge.httpsPort]
  const { privateSources } = config
  const firewalls = createFirewalls({ log, mode: config.provision, engine: config.engine, edgePorts, privateSources })
  const engine = createEngine({ address: config.engine, log, now })
  const engineWatch = createEngineWatch({ engine, provisioning })
  const ownPorts = () => [config.port, ...edgePorts]
  const policy = createSourcePolicy({ privateHosts: privateSources, ownPorts })
  const git = createGit({ policy, scratch: join(config.workDir, 'git'), path: config.path, log, ...config.gitRunsAs })
  // A request that runs git costs three processes and up to 50 MB of disk for some seconds. Those of a person wait in a short queue;
  // the lookups of `deployment/add` may be many, are short, and go on without an answer.
  const sourceChecks = createLimiter({ running: 8, runningPerKey: 2, waiting: 64, waitingPerKey: 4, waitMs: 20_000 })
  const commitLookups = createLimiter({ running: 8, runningPerKey: 2, waiting: 500, waitingPerKey: 100, waitMs: tuning.resolveAtAddMs })

  const ensureProgram = async () => {
    const installed = await installDebianPackage(['haproxy'], { log })
    if (!installed.ok) throw new Error(`HAProxy could not be installed: ${installed.reason}`)
  }
  const edgeParts = await createEdgeParts({
    config,
    instance,
    now,
    log,
    host: config.provision === 'off' ? undefined : engine.edgeHost({ instance, ensureProgram }),
    settings: () => settingsNow,
    onStatus: (host, status) =>
      void domainCertificates.onStatus(host, status).catch((err: unknown) => log.warn({ host, err }, 'certificate state was not written')),
  })
  const dashboard = async () =>
    settingsNow.dashboardDomain === ''
      ? undefined
      : {
          host: { host: settingsNow.dashboardDomain, redirectHttps: true, hsts: true },
          target: { ip: '127.0.0.1', port: config.port },
        }
  const openRelease = (appId: number, sealed: string) => openConfig(secrets, appId, sealed)
  const portOf = (appId: number, sealed: string) => openRelease(appId, sealed).port
  const routing = createRouting({ db, engine, edge: edgeParts.edge, instance, dashboard, portOf, tuning, log })
  const domainCertificates = createDomainCertificates({
    db,
    now,
    log,
    readSettings,
    certificates: () => edgeParts.certificates,
    checkDns: edgeParts.checkDns,
  })
  const onRoutesChanged = () => {
    routing.syncSoon()
    background.wake('certificates')
  }

  const passwords = createPasswords({ queue: createHashQueue({ cores: availableParallelism() }) })
  const setup = createSetup({ db, passwords, now })
  const slowDown = createSlowDown({ secret: randomUUID(), now })
  const loginTurns = createLoginTurns({ waitMs: slowDown.waitMs })
  const familiar = createFamiliarAddresses(await listLoginAddresses(db))
  const tryPassword = createPasswordTries({ slowDown, turns: loginTurns, familiar })
  const failedTries = createFailedTries({ db, log, now })
  const auth = createAuth({ db, tokens, setup, passwords, tryPassword, failedTries, newId: randomUUID, now })
  const users = createUsers({ db, hashPassword: passwords.hashPassword, now })
  const envVariables = createEnvVariables({ db, secrets, openRelease, now })
  const generatedDomains = createGeneratedDomains({ readSettings, now })
  const domains = createDomains({ db, now, readSettings, certificates: domainCertificates, ownRecords, onChanged: onRoutesChanged })
  const settings = createSettings({
    db,
    now,
    onWildcard: generatedDomains.addMissing,
    isHostOfApp: isHostTaken,
    onChanged: async () => {
      settingsNow = await readSettings(db)
      onRoutesChanged()
    },
  })

  const ports = createPorts({ db, now })
  const parts = createDeploymentParts({
    config,
    db,
    engine,
    git,
    policy,
    isEngineWalled: firewalls.isEngineWalled,
    instance,
    secrets,
    envVariables,
    step,
    tuning,
    log,
    now,
    routes: routing,
    ports,
    retention: async () => settingsNow.retention,
    onChanged: onRoutesChanged,
  })
  const removal = createRemoval({ db, engine, instance, dataDir: config.dataDir, step, onRemoved: onRoutesChanged })
  const leftovers = createLeftovers({ db, engine, instance, dataDir: config.dataDir, log })
  const worker = createWorker({
    db,
    nudge,
    log,
    now,
    workerId: randomUUID(),
    slots: async () => settingsNow.concurrency || config.workers,
    isDiskFull,
    handlers: jobHandlers({ runDeployment: parts.runDeployment.run, restore: parts.restore, removeApp: removal.removeApp }),
  })
  const deployments = createDeployments({
    db,
    now,
    step,
    logs: parts.logs,
    resolveCommit: createNewestCommit({ git, isPrivileged: parts.isPrivileged, limiter: commitLookups, waitMs: tuning.resolveAtAddMs }),
    stop: createCancel({ db, logs: parts.logs, cancelLane: worker.cancelLane, step, now }),
  })
  const onAppsRemoved = (appIds: readonly number[]) => {
    for (const appId of appIds) worker.cancelLane(appLane(appId))
    onRoutesChanged()
  }
  const applications = createApplications({
    db,
    now,
    findTemplate,
    newSecret,
    checkSource,
    insertEnv: envVariables.insertMany,
    addGeneratedDomain: generatedDomains.add,
    onChanged: onRoutesChanged,
  })
  const appReading = createAppReading({
    db,
    findTemplate,
    readEnv: envVariables.read,
    probeSource: createProbeSource({ git, limiter: sourceChecks }),
  })
  const appDeletion = createAppDeletion({ db, step, now, onRemoved: onAppsRemoved })
  const projects = createProjects({
    db,
    step,
    now,
    listApplications: appReading.list,
    removeApplications: appDeletion.removeOfProject,
    onRemoved: onAppsRemoved,
  })
  const liveRelease = createLiveRelease({ db, containers: parts.containers })
  const containers = createContainers({ db, engine, liveRelease, step, tuning, now, onChanged: onRoutesChanged })
  /** What the app has now, and what its live release was started with. */
  const secretsOf = async (appId: number) => {
    const live = await findActive(db, appId)
    const released = live?.sealed_config ? openRelease(appId, live.sealed_config).env : {}
    return [...Object.values(await envVariables.read(db, appId)), ...Object.values(released)]
  }
  const reconcile = createReconcile({
    db,
    engine,
    instance,
    now,
    log,
    busyLanes: async () => new Set(await lanesInQueue(db)),
    lastLines: parts.containers.lastLines,
    redact: async (app, lines) =>
      createRedactor(await secretsOf(app.id))
        .lines(lines)
        .map(withoutColours),
    repair: createRepair({ db, engine, stopGraceSeconds: tuning.stopGraceSeconds, now }),
    sweep: leftovers.sweep,
    isAsPlanned: createIsAsPlanned({ dataDir: config.dataDir }),
    restore: async ({ id: appId, created_by: by }) =>
      await db.transaction(async (tx) => await enqueue(tx, 'app.restore', { appId }, { by, at: now() })),
    onChanged: onRoutesChanged,
  })

  const authentication = createAuthenticate({ db, tokens, now })
  const loaders = createPolicies({ db, findContainer: createFindContainer({ engine, instance }) })
  const running = { version: VERSION, commit: COMMIT, startedAt: startedAt.toISOString() }
  const health = {
    version: VERSION,
    startedAt,
    now,
    database: () => database.state(),
    engine: engineWatch.health,
    edge: () => engineWatch.edgeHealth(edgeParts.edge.state()),
    isQueueStalled: worker.isStalled,
    isDiskFull,
    firewall: firewalls.message,
    dashboardCertificate: () => whyNoCertificate(settingsNow.dashboardDomain, edgeParts.certificates.status(settingsNow.dashboardDomain)),
  }
  const metricsHistory = createMetricsHistory({ dataDir: config.dataDir, first: await readCounters(), now })
  const handlers = handlersOf({
    db,
    auth,
    users,
    projects,
    applications,
    appReading,
    appDeletion,
    envVariables,
    domains,
    ports,
    deployments,
    containers,
    settings,
    running,
    health,
    traffic: edgeParts.accessCounts,
    metricsHistory,
  })
  const connections = createConnections()
  const mayBeSigned = createWebhookGate({ hasSecret: async () => false }) // no provider can be connected yet
  const http = await createHttpServer({
    log,
    gate: { authentication, loaders, mayBeSigned, connections },
    connections,
    tuning,
    handlers,
    version: VERSION,
    dashboardDir: dashboardDirectory(),
    isStopping: () => isStopping,
  })
  const metrics = createServerMetrics({
    dataDir: config.dataDir,
    engineCounts: engineWatch.counts,
    lastSampled: metricsHistory.lastCounters,
  })
  const streams = {
    ...createDeploymentStreams({ db, nudge, now, logs: parts.logs, isWriting: parts.runDeployment.isWriting }),
    ...createContainerStreams({ engine, now }),
    ...createMetricsStreams(metrics, now),
    ...createLiveEvents({ db, feed: createFeed({ db, nudge }), projectsOf: createProjectsLookup(db) }),
  }
  const webSockets = createWebSockets({
    server: http.server,
    authentication,
    loaders,
    connections,
    streams,
    newId: randomUUID,
    log,
    isStopping: () => isStopping,
  })

  const tasks = backgroundTasks({
    db,
    engine,
    engineWatch,
    provisioning,
    reconcile,
    routing,
    instance,
    tuning,
    now,
    wake: background.wake,
    wantCertificates: domainCertificates.wantAll,
    makeRoom: createMakeRoom({ engine, buildTimes: parts.buildTimes, dataDir: config.dataDir, floorBytes: tuning.diskFloorBytes, log }),
    keepReserve: () => database.keepReserve(),
    metricsHistory,
    writeFailedTries: failedTries.writeCounted,
  })

  /** Listening never waits for an engine or an edge: both are made sure of beside it. */
  async function start(): Promise<{ address: string; setupToken: string | undefined }> {
    const link = await setup.prepare(config.owner)
    const address = await http.listen({ host: config.host, port: config.port })
    await routing.settle()
    await parts.renameImages()
    await worker.start()
    for (const task of tasks) background.add(task)
    // again and again: the engine, or a reload of the machine's own firewall, may take rules away
    const { port } = new URL(address)
    background.add({ name: 'firewall', everyMs: 60_000, run: async (signal) => await firewalls.ensure(Number(port), signal) })
    routing.syncSoon()
    return { address, setupToken: link?.token }
  }

  async function stop(): Promise<void> {
    isStopping = true
    webSockets.closeAll()
    loginTurns.stop()
    await Promise.all([http.close(), worker.stop(), background.stop()])
    await failedTries.stop()
    await edgeParts.close()
    await database.close()
  }

  return { start, stop, health, provisioning: provisioning.state, edge: () => edgeParts.edge.state() }
}

import type { Config } from '../config.ts'
import { coalesce } from '../lib/coalesce.ts'
import { endParts } from '../lib/end-parts.ts'
import type { Logger } from '../lib/logger.ts'
import { createFollowOthers, LOOK_EVERY_MS } from '../nodes/follow-others.ts'
import { BEAT_EVERY_MS } from '../nodes/heartbeat.ts'
import { createLeadership, EXTEND_EVERY_MS, type Leadership } from '../nodes/leadership.ts'
import { createStopLostEdges, LOST_EDGES_EVERY_MS } from '../nodes/lost-edges.ts'
import type { Task } from '../queue/periodic.ts'
import { createSweepLogs } from '../reconcile/sweep-logs.ts'
import { createSweepOwnPlans } from '../reconcile/sweep-plans.ts'
import { createAccessParts } from './access-parts.ts'
import { backgroundTasks, SINGLE_TASKS } from './background-tasks.ts'
import { createEngineParts } from './engine-parts.ts'
import { createFoundation, FOLLOW_CERTIFICATES, FOLLOW_OTHERS, FOLLOW_ROUTES, type Foundation } from './foundation.ts'
import { createGitParts } from './git-parts.ts'
import { createHttpParts } from './http-parts.ts'
import { createProjectParts } from './project-parts.ts'
import { createRegistryParts } from './registry-parts.ts'
import { createSourceAccessParts } from './source-access-parts.ts'
import { createTrafficParts } from './traffic-parts.ts'
import type { Supervised } from './update-parts.ts'
import { createWorkParts } from './work-parts.ts'

/** The process itself ends ten seconds later, whatever happens (see main.ts). */
const PART_STOPS_WITHIN_MS = 15_000
const ADDRESSES_EVERY_MS = 60_000
const TRAFFIC_EVERY_MS = 30_000

/** Everything that exists, created top to bottom. `start` starts it, `stop` stops it in reverse order. */
export async function createApp(config: Config, givenLog: Logger, supervised?: Supervised) {
  let isStopping = false
  const base = await createFoundation(config, givenLog)
  const leadership = createLeadershipOf(base)
  const isLeading = () => leadership?.isHeld() ?? true
  const engineParts = createEngineParts(base, isLeading)
  const traffic = await createTrafficParts(base, engineParts, leadership)
  const access = await createAccessParts(base)
  const gitParts = createGitParts(base, engineParts)
  const registries = createRegistryParts(base, engineParts)
  const sourceAccess = createSourceAccessParts(base, engineParts, { gitParts, registries })
  const work = createWorkParts(base, engineParts, { traffic, sourceAccess, registries })
  const projects = createProjectParts(base, engineParts, { traffic, gitParts, sourceAccess, work })
  const parts = {
    base,
    engineParts,
    gitParts,
    registries,
    sourceAccess,
    access,
    traffic,
    work,
    projects,
    // until everything else has ended requests are answered; jobs that they add wait for the next version
    supervised: supervised && { ...supervised, leave: () => void endWork({ base, work }).finally(supervised.leave) },
    isStopping: () => isStopping,
    isLeading,
  }
  const httpParts = await createHttpParts(parts)
  const { http, webSockets, health, figures } = httpParts

  const { database } = base
  const { provisioning } = engineParts
  const { edge, edgeParts } = traffic
  const { start, updateOver } = createStart(parts, httpParts, leadership)

  async function stop(): Promise<void> {
    isStopping = true
    webSockets.closeAll()
    access.loginTurns.stop()
    await endWork(parts, { http: { end: async () => await http.close() } })
    engineParts.tls.close()
    await engineParts.engine.imageServer?.close()
    await access.failedTries.stop()
    await figures.stop().catch((err: unknown) => base.log.warn({ err }, 'the latest app metrics were not saved'))
    await edgeParts.close()
    await leaveNodes(base, leadership).catch((err: unknown) =>
      base.log.warn({ err }, 'the other nodes were not told that this one has stopped'),
    )
    await database.close()
  }

  return { start, stop, updateOver, health, provisioning: provisioning.state, edge: () => edge.state() }
}

/** Jobs and periodic tasks, and other parts beside them. */
async function endWork({ base, work }: Pick<Parts, 'base' | 'work'>, others: Parameters<typeof endParts>[0] = {}): Promise<void> {
  const ending = { jobs: work.worker.ending, tasks: base.background.ending, ...others }
  await endParts(ending, { withinMs: PART_STOPS_WITHIN_MS, log: base.log })
}

/** How everything is started: completely, or only as far as needed to check an update. */
function createStart(parts: Parts, httpParts: HttpParts, leadership: Leadership | undefined) {
  const { base, engineParts, traffic, access, work } = parts
  const { config, db, background } = base
  const tasks = tasksOf(parts, httpParts).map((task) => (leadership && SINGLE_TASKS.includes(task.name) ? leadership.single(task) : task))

  /** Listening does not wait for the engine or the edge; both are started in parallel. */
  async function start(): Promise<{ address: string; setupToken: string | undefined }> {
    const link = await access.setup.prepare(config.owner)
    // with the reserve, because it has to start on a full disk too: otherwise nobody could free space
    await db.transaction(async (tx) => await traffic.generatedDomains.moveToBase(tx), { mayUseReserve: true })
    await httpParts.updates.resolveInterrupted()
    const { mode } = config.updates
    if (mode === 'checked') base.updateGate.close()
    const address = await httpParts.http.listen({ host: config.host, port: config.port })
    const started = { address, setupToken: link?.token }
    if (mode === 'rehearsal') return started
    if (leadership) for (const task of nodeTasks(parts, httpParts, leadership)) background.add(task)
    for (const task of tasks.filter(isForHealth)) background.add(task)
    // repeatedly, because the engine or a reload of the machine's own firewall may remove the rules
    const { port } = new URL(address)
    background.add({ name: 'firewall', everyMs: 60_000, run: async (signal) => await engineParts.firewalls.ensure(Number(port), signal) })
    traffic.routing.syncSoon()
    if (mode === 'normal') await startWork()
    return started
  }

  async function startWork(): Promise<void> {
    await traffic.routing.drainStrays()
    await work.deploying.renameImages()
    await work.deploying.logs
      .storeRest()
      .catch((err: unknown) => base.log.warn({ err }, 'build logs of the last run are not in the database yet'))
    await work.sharedPlans
      ?.storeMissing()
      .catch((err: unknown) => base.log.warn({ err }, 'plans of compose apps are not in the database yet; the next start tries again'))
    await work.worker.start()
    for (const task of tasks.filter((each) => !isForHealth(each))) background.add(task)
  }

  /** The update was checked and is kept: this version now starts working. */
  async function updateOver(): Promise<void> {
    if (config.updates.mode !== 'checked' || parts.isStopping()) return
    base.updateGate.open()
    await startWork()
  }

  return { start, updateOver }
}

/** Which of several control planes runs the loops that must be single; undefined if there is only this one. */
function createLeadershipOf({ node, fence, heartbeat, db, log, background }: Foundation): Leadership | undefined {
  if (!node || !fence || !heartbeat) return undefined
  const onGained = () => {
    for (const name of [...SINGLE_TASKS, 'certificates']) background.wake(name)
  }
  return createLeadership({ db, holder: node.bootId, fence, now: heartbeat.databaseNow, log, onGained })
}

async function leaveNodes({ heartbeat }: Foundation, leadership: Leadership | undefined): Promise<void> {
  await leadership?.leave()
  await heartbeat?.leave()
}

/** What one of several control planes does beside the rest. */
function nodeTasks({ base, engineParts, access, traffic }: Parts, { sharedTraffic }: HttpParts, leadership: Leadership): Task[] {
  const onChanged = async () => {
    base.nudge.nudge() // for readers of the event log, if the database's own notice was lost
    await base.reloadSettings()
    traffic.onRowsChanged()
  }
  const comeBack = coalesce(async () => {
    await traffic.routing.shared?.comeBack()
    base.background.wake(FOLLOW_ROUTES)
  })
  const repair = coalesce(async () => await traffic.edge.repair())
  const soon = (work: () => Promise<void>) => void work().catch((err: unknown) => base.log.debug({ err }, 'the proxy is not back yet'))
  const beat = async () => {
    const said = await base.heartbeat?.run()
    // neither is waited for: the next heartbeat must not be late
    if (said?.isEdgeStopped) soon(comeBack)
    if (said?.isBack) soon(repair)
  }
  const { stopEdge, edgeHost } = engineParts
  const mayJudge = async () =>
    base.heartbeat?.isSteady() === true &&
    traffic.routing.shared?.hasConfirmed() === true &&
    (edgeHost === undefined || (await traffic.edge.isServing())) // if somebody else starts the edges, none of them is stopped
  const stopLostEdges = createStopLostEdges({ db: base.db, bootId: base.node?.bootId ?? '', mayJudge, stopEdge, log: base.log })
  const syncRoutes = async () => void (engineParts.engineWatch.isReachable() && (await traffic.routing.sync()))
  return [
    { name: 'heartbeat', everyMs: BEAT_EVERY_MS, run: beat },
    { name: 'lost nodes', everyMs: LOST_EDGES_EVERY_MS, run: stopLostEdges },
    { name: 'single loops', everyMs: EXTEND_EVERY_MS, run: leadership.extend },
    { name: FOLLOW_OTHERS, everyMs: LOOK_EVERY_MS, run: createFollowOthers({ db: base.db, onChanged }) },
    { name: FOLLOW_CERTIFICATES, everyMs: LOOK_EVERY_MS, run: traffic.edgeParts.followOthers },
    { name: FOLLOW_ROUTES, everyMs: LOOK_EVERY_MS, run: async (signal) => await traffic.routing.shared?.follow(signal) },
    { name: 'login addresses', everyMs: ADDRESSES_EVERY_MS, run: access.learnAddresses },
    { name: 'traffic', everyMs: TRAFFIC_EVERY_MS, run: async () => await sharedTraffic?.leave() },
    { name: 'plan files', everyMs: base.tuning.reconcileMs, run: createSweepOwnPlans({ db: base.db, dataDir: base.config.dataDir }) },
    { name: 'routes', everyMs: base.tuning.reconcileMs, run: syncRoutes },
  ]
}

/** The engine is checked from the start: /health reports it, and the check writes nothing. */
function isForHealth({ name }: { name: string }): boolean {
  return name === 'engine'
}

type Parts = Parameters<typeof createHttpParts>[0]
type HttpParts = Awaited<ReturnType<typeof createHttpParts>>

/** Everything that runs periodically. */
function tasksOf(parts: Parts, { metricsHistory, figures, backups, updates, servers }: HttpParts) {
  const { base, engineParts, traffic, work, access, gitParts, sourceAccess } = parts
  const { config, db, database, background, instance, tuning, now } = base
  const { engine, engineWatch, provisioning } = engineParts
  const { makeRoom, forgetOld } = work.deploying
  const watched = { db, engine, engineWatch, provisioning, routing: traffic.routing, instance, tuning, now }
  return backgroundTasks({
    ...watched,
    reconcile: work.reconcile,
    removeLeftVolumes: work.removeLeftVolumes,
    spread: work.spread,
    wake: background.wake,
    wantCertificates: traffic.wantCertificates,
    makeRoom,
    forgetOldDeployments: forgetOld,
    sweepLogs: createSweepLogs({ db, dataDir: config.dataDir }),
    keepReserve: () => database.keepReserve(),
    metricsHistory,
    figures,
    backups,
    updates,
    servers,
    keepEdges: traffic.edgeParts.otherEdges.keep,
    countVisits: traffic.edgeParts.otherEdges.countVisits,
    writeFailedTries: access.failedTries.writeCounted,
    reconcileHooks: gitParts.reconcileHooks,
    pollSources: sourceAccess.polls.lookAtDue,
    sendCommitStatuses: sourceAccess.commitStatuses.keepSending,
  })
}

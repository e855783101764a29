import type { Engine } from '../engine/engine.ts'
import { ownerOf } from '../engine/labels.ts'
import type { BackupKeeper } from '../features/backups/service.ts'
import { SAMPLE_EVERY_MS as FIGURES_EVERY_MS, type FiguresKeeper } from '../features/figures/service.ts'
import type { EngineWatch } from '../features/health/engine-watch.ts'
import { type MetricsHistoryKeeper, SAMPLE_EVERY_MS } from '../features/metrics/history.ts'
import type { ServersPart } from '../features/servers/service.ts'
import type { Updates } from '../features/updates/service.ts'
import type { Tuning } from '../lib/tuning.ts'
import type { Provisioning } from '../provision/provisioning.ts'
import type { Task } from '../queue/periodic.ts'
import type { Reconcile } from '../reconcile/reconcile.ts'
import type { Routing } from '../routing/routing.ts'
import type { Db } from '../store/database.ts'
import { createFollowPlaced } from './follow-placed.ts'
import { createHousekeeping } from './housekeeping.ts'

type Parts = {
  db: Db
  engine: Pick<Engine, 'events' | 'keepPlaced' | 'keepApart' | 'keepAgents' | 'placement' | 'containers' | 'imageServer'>
  engineWatch: EngineWatch
  provisioning: Provisioning
  reconcile: Reconcile
  routing: Routing
  instance: string
  tuning: Tuning
  now: () => Date
  wake: (name: string) => void
  /** Of several nodes, each serves them and one orders them. */
  wantCertificates: (turn: { signal: AbortSignal; canBeVisited: boolean }) => Promise<void>
  makeRoom: () => Promise<void>
  sweepLogs: () => Promise<void>
  forgetOldDeployments: (signal: AbortSignal) => Promise<void>
  keepReserve: () => void
  metricsHistory: MetricsHistoryKeeper
  figures: FiguresKeeper
  backups: Pick<BackupKeeper, 'makeDue'>
  updates: Pick<Updates, 'look'>
  removeLeftVolumes: (signal: AbortSignal) => Promise<void>
  spread: () => Promise<void>
  servers: Pick<ServersPart, 'watch' | 'checkWaiting'>
  /** Of the other servers. */
  keepEdges: () => Promise<void>
  /** The visitors of edges on other servers. */
  countVisits: () => Promise<void>
  writeFailedTries: () => Promise<void>
  reconcileHooks: (signal: AbortSignal) => Promise<void>
  pollSources: (signal: AbortSignal) => Promise<void>
  sendCommitStatuses: (signal: AbortSignal) => Promise<void>
}

const MINUTE_MS = 60 * 1000
const HOUR_MS = 60 * MINUTE_MS
const POLL_LOOK_MS = 15_000
const REPLICAS_LOOK_MS = 500
const SERVERS_LOOK_MS = 3000
const PLACED_LOOK_MS = 2000
const PLACED_KEEP_MS = 10_000
const AGENTS_KEEP_MS = 15_000
const EDGES_KEEP_MS = 3000
/** An edge keeps about a minute of a busy server. */
const VISITS_MS = 5000
/** The engine there removes the last container of a volume a few seconds after its service. */
const LEFT_VOLUMES_MS = 5000
const IMAGES_LOOK_MS = 3000

/** Of several control planes on one database one runs these (docs/decisions/0016). */
export const SINGLE_TASKS: readonly string[] = [
  'reconcile',
  'disk',
  'git hooks',
  'source polls',
  'commit statuses',
  'backups',
  'figures',
  'housekeeping',
  'servers',
  'server checks',
  'networks of other servers',
  'replicas apart',
  'replicas on one server',
  'agents',
  'edges of other servers',
  'visitors of other edges',
  'volumes left on other servers',
]

/** The periodic tasks besides the jobs: how often each runs, and what it does. */
export function backgroundTasks(parts: Parts): Task[] {
  const { db, engineWatch, tuning, now, wake } = parts
  return [
    ...engineTasks(parts),
    {
      name: 'disk',
      everyMs: HOUR_MS / 6,
      run: async (signal) => {
        parts.keepReserve()
        await parts.forgetOldDeployments(signal)
        if (engineWatch.isReachable()) await parts.makeRoom()
      },
    },
    { name: 'log files', everyMs: tuning.reconcileMs, run: parts.sweepLogs },
    { name: 'git hooks', everyMs: tuning.gitHooksMs, run: parts.reconcileHooks },
    { name: 'source polls', everyMs: Math.min(POLL_LOOK_MS, tuning.sourcePollMs), run: parts.pollSources },
    { name: 'commit statuses', everyMs: tuning.commitStatusMs, run: parts.sendCommitStatuses },
    { name: 'backups', everyMs: HOUR_MS / 4, run: parts.backups.makeDue },
    { name: 'updates', everyMs: tuning.updateLookMs, run: parts.updates.look },
    { name: 'failed logins', everyMs: HOUR_MS / 6, run: parts.writeFailedTries },
    { name: 'metrics history', everyMs: SAMPLE_EVERY_MS, run: parts.metricsHistory.sample },
    { name: 'figures', everyMs: FIGURES_EVERY_MS, run: async () => await parts.figures.sample(engineWatch.isReachable()) },
    {
      name: 'certificates', // and the names that they are for
      everyMs: 2 * tuning.certificateLookMs,
      run: async (signal) => await parts.wantCertificates({ signal, canBeVisited: engineWatch.isReachable() }),
    },
    { name: 'log of the engine', everyMs: MINUTE_MS, run: parts.provisioning.limitLog },
    { name: 'housekeeping', everyMs: HOUR_MS, run: createHousekeeping({ db, now }) },
    {
      name: 'provisioning',
      everyMs: 24 * HOUR_MS,
      run: async (signal) => {
        await parts.provisioning.ensureEngine(signal)
        wake('engine')
      },
    },
  ]
}

/** Everything that watches the engine: whether it responds, its events, and whether everything runs and is routed as it should. */
function engineTasks(parts: Parts): Task[] {
  const { engineWatch, tuning, wake } = parts
  return [
    {
      name: 'engine',
      everyMs: 5000,
      run: async (signal) => {
        const wasReachable = engineWatch.isReachable()
        await engineWatch.look(signal)
        if (!engineWatch.isReachable() || wasReachable) return
        wake('reconcile') // a lot may have changed while the engine was unreachable
        wake('firewall') // the firewall rules it needs may be possible now
        wake('certificates') // from now on visitors can reach domains
      },
    },
    {
      name: 'reconcile',
      everyMs: tuning.reconcileMs,
      run: async (signal) => {
        if (!engineWatch.isReachable()) return
        try {
          await parts.reconcile.reconcile(signal)
        } finally {
          await parts.routing.sync()
        }
      },
    },
    {
      name: 'engine events',
      everyMs: 2000,
      run: async (signal) => {
        if (!engineWatch.isReachable()) return
        for await (const event of parts.engine.events({ instance: parts.instance, signal })) {
          const { appId } = ownerOf(event.labels)
          // at once: the other replicas take its visitors
          if (appId !== null && event.action === 'die') parts.routing.containerEnded(appId, event.containerId)
          else if (appId !== null) parts.routing.containersChanged(appId)
          wake('reconcile')
        }
      },
    },
    ...serverTasks(parts),
    { name: 'replicas', everyMs: REPLICAS_LOOK_MS, run: parts.routing.lookAtReplicas },
  ]
}

/** What there is to do for other servers. */
function serverTasks(parts: Parts): Task[] {
  const { engineWatch } = parts
  return [
    {
      name: 'servers', // with only one, it looks once
      everyMs: SERVERS_LOOK_MS,
      run: async () => void (engineWatch.isReachable() && (await parts.servers.watch())),
    },
    {
      name: 'server checks', // a check takes long, and a used join token is replaced meanwhile
      everyMs: SERVERS_LOOK_MS,
      run: async (signal) => void (engineWatch.isReachable() && (await parts.servers.checkWaiting(signal))),
    },
    ...placedTasks(parts),
    {
      name: 'agents', // on other servers
      everyMs: AGENTS_KEEP_MS,
      run: async () => void (engineWatch.isReachable() && (await parts.engine.keepAgents(parts.instance))),
    },
    {
      name: 'edges of other servers',
      everyMs: EDGES_KEEP_MS,
      run: async () => void (engineWatch.isReachable() && (await parts.keepEdges())),
    },
    { name: 'visitors of other edges', everyMs: VISITS_MS, run: parts.countVisits },
    {
      name: 'volumes left on other servers',
      everyMs: LEFT_VOLUMES_MS,
      run: async (signal) => void (engineWatch.isReachable() && (await parts.removeLeftVolumes(signal))),
    },
    {
      name: 'images for other servers',
      everyMs: IMAGES_LOOK_MS,
      run: async () => void (engineWatch.isReachable() && (await parts.engine.imageServer?.keep())),
    },
    {
      name: 'old images for other servers',
      everyMs: HOUR_MS / 6,
      run: async () => void (engineWatch.isReachable() && (await parts.engine.imageServer?.cleanUp())),
    },
  ]
}

/** What there is to do for containers on other servers. */
function placedTasks(parts: Parts): Task[] {
  const { engineWatch } = parts
  return [
    {
      name: 'placed containers', // the events of other servers are not told
      everyMs: PLACED_LOOK_MS,
      run: createFollowPlaced(parts),
    },
    {
      name: 'networks of other servers',
      everyMs: PLACED_KEEP_MS,
      run: async () => void (engineWatch.isReachable() && (await parts.engine.keepPlaced(parts.instance))),
    },
    {
      name: 'replicas apart',
      everyMs: PLACED_LOOK_MS,
      run: async () => void (engineWatch.isReachable() && (await parts.engine.keepApart(parts.instance))),
    },
    {
      name: 'replicas on one server', // and others that have none
      everyMs: PLACED_KEEP_MS,
      run: async () => void (engineWatch.isReachable() && (await parts.spread())),
    },
  ]
}

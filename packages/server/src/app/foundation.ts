import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { openConfig } from '../domain/release-config.ts'
import { SWARM_PORTS } from '../engine/swarm/ports.ts'
import { createNudge } from '../events/nudge.ts'
import { readSettings } from '../features/settings/store.ts'
import { createSessionTokens } from '../http/authenticate.ts'
import type { Logger } from '../lib/logger.ts'
import { createSecretBox } from '../lib/secret-box.ts'
import { secretFile } from '../lib/secret-file.ts'
import { createStep } from '../lib/step.ts'
import { VERSION } from '../lib/version.ts'
import { createFence } from '../nodes/fence.ts'
import { createHeartbeat } from '../nodes/heartbeat.ts'
import { createBackground } from '../queue/periodic.ts'
import { createIsDiskFull } from '../store/disk-space.ts'
import { instanceId } from '../store/instance-id.ts'
import { finishKeyRotation, keyHash } from '../store/key-rotation.ts'
import { hasData, openDatabase } from '../store/open.ts'
import { type NodeIdentity, portsOfNodes } from '../store/presence.ts'
import { createStorageLog } from '../store/storage-log.ts'
import { isSwarmOn } from '../store/swarm-fact.ts'
import { createUpdateGate } from '../store/update-gate.ts'

/** The periodic task that looks for changes of other nodes. */
export const FOLLOW_OTHERS = 'other nodes'
/** The same for certificates and challenges, which are in no event. */
export const FOLLOW_CERTIFICATES = 'certificates of other nodes'

/** The same for routes. */
export const FOLLOW_ROUTES = 'routes of other nodes'

/** What everything else depends on: the clock, the log, the keys, the database and the settings. */
export async function createFoundation(config: Config, givenLog: Logger) {
  const now = () => new Date()
  const { dataDir, tuning } = config
  const mayCreate = !(await hasData(config))
  const readKey = () => secretFile(join(dataDir, 'secrets.key'), { mayCreate })
  const keys = [readKey(), secretFile(join(dataDir, 'session.key'), { mayCreate })] as const // without them nothing is touched
  const tokens = createSessionTokens(keys[1])
  const { log, over } = createStorageLog(givenLog)
  const nudge = createNudge()
  const node = identityOf(config, keys)
  const background = createBackground(log)
  const onForeignCommit = () => {
    nudge.nudge()
    background.wake(FOLLOW_OTHERS)
    background.wake(FOLLOW_CERTIFICATES)
    background.wake(FOLLOW_ROUTES)
  }
  const isCopied = config.updates.mode !== 'normal' // by the supervisor, or it is a copy itself
  const database = await openDatabase(config, { now, onCommit: nudge.nudge, onRoom: over, isCopied, node, onForeignCommit })
  await finishKeyRotation(database.db, dataDir)
  const secrets = createSecretBox(readKey())
  const updateGate = createUpdateGate()
  const fence = node && createFence(database.db)
  const db = updateGate.guard(fence ? fence.guardDb(database.db) : database.db)
  const step = createStep(config.fault, (n, name) => log.info({ step: n, name }, 'step'))
  let settings = await readSettings(db)
  return {
    config,
    tuning,
    now,
    startedAt: now(),
    log,
    secrets,
    tokens,
    nudge,
    database,
    db,
    node,
    heartbeat: node && (await createHeartbeat({ db, node, log, onReplaced: () => process.kill(process.pid, 'SIGTERM') })),
    updateGate,
    isDiskFull: createIsDiskFull({ database, dataDir, fullDiskBytes: tuning.fullDiskBytes }),
    instance: await instanceId(db),
    step: fence ? fence.guardStep(step) : step,
    fence,
    background,
    /** The ports of the machine that Berth itself uses: all nodes are on it. */
    reservedPorts: async () => [
      ...(node ? await portsOfNodes(db) : ownPorts(config)),
      ...((await isSwarmOn(db)) ? portsOfSwarm(config) : []),
    ],
    openRelease: (appId: number, sealed: string) => openConfig(secrets, appId, sealed),
    settings: () => settings,
    reloadSettings: async () => {
      settings = await readSettings(db)
    },
  }
}

/** One of several processes on the database; undefined for the only one. */
function identityOf(config: Config, keys: readonly Buffer[]): NodeIdentity | undefined {
  const { nodeName: name } = config
  if (name === undefined) return undefined
  return { name, bootId: randomUUID(), version: VERSION, keys: keyHash(Buffer.concat(keys)), ports: ownPorts(config) }
}

function portsOfSwarm({ registry, imagePort }: Pick<Config, 'registry' | 'imagePort'>): number[] {
  return [...SWARM_PORTS.tcp, ...SWARM_PORTS.udp, ...(registry === undefined ? [imagePort] : [])]
}

function ownPorts({ port, edge }: Pick<Config, 'port' | 'edge'>): number[] {
  return [port, edge.httpPort, edge.httpsPort]
}

export type Foundation = Awaited<ReturnType<typeof createFoundation>>

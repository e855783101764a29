import { setTimeout as sleep } from 'node:timers/promises'
import type { DeploymentFrame } from '@berth/contract'
import { isUnfinished } from '../../domain/lifecycle.ts'
import { type DeploymentRow, findDeployment } from '../../domain/rows.ts'
import type { Nudge } from '../../events/nudge.ts'
import type { Peer } from '../../http/socket-peer.ts'
import { type EncodedFrames, encodeFrames } from '../../http/text-frames.ts'
import type { Streams } from '../../http/websocket.ts'
import type { Db } from '../../store/database.ts'
import type { BuildLogs } from './log/build-log.ts'
import type { LogLine } from './log/log-lines.ts'

type Deps = { db: Db; nudge: Nudge; logs: Pick<BuildLogs, 'follow'>; isWriting: (deploymentId: number) => boolean; now: () => Date }
type Send = (frame: DeploymentFrame) => void
type Listener = Pick<Peer, 'sendEncoded' | 'sendEncodedAndWait' | 'room' | 'signal'> & { send: Send }

const LOOK_AGAIN_MS = 1000
/** A reused buffer for frames read from the file: otherwise twenty readers of a long log would fill the memory with garbage. */
const ROOM_BYTES = 64 * 1024

const WORDS = {
  pending: 'Waiting for its turn',
  building: 'Building',
  deploying: 'Deploying',
  success: 'Deployed successfully',
  failed: 'Deployment failed',
  stopped: 'Deployment was cancelled',
  rolled_back: 'Rolled back',
} as const satisfies Record<DeploymentRow['status'], string>

function fingerprint(row: DeploymentRow): string {
  return `${row.status} ${row.stage} ${row.progress}`
}

function createStatusFollowing({ db, nudge, isWriting, now }: Pick<Deps, 'db' | 'nudge' | 'isWriting' | 'now'>) {
  const looks = new Map<number, { count: number; at: number; row: Promise<DeploymentRow | undefined> }>()

  function statusFrame(row: DeploymentRow): DeploymentFrame {
    const data = {
      deployment_id: row.id,
      status: row.status,
      stage: row.stage,
      progress: row.progress,
      message: WORDS[row.status],
      error_message: row.error_message,
    }
    return { type: 'status', timestamp: now().toISOString(), data }
  }

  /** After a change, the state is read once for all sockets of a deployment. */
  async function look(deploymentId: number): Promise<DeploymentRow | undefined> {
    const known = looks.get(deploymentId)
    if (known?.count === nudge.count() && performance.now() - known.at < LOOK_AGAIN_MS / 2) return await known.row
    const row = findDeployment(db, deploymentId)
    looks.set(deploymentId, { count: nudge.count(), at: performance.now(), row })
    return await row
  }

  /** Sends each new state until the final one, and returns it. */
  async function followUntilEnd(first: DeploymentRow, send: Send, signal: AbortSignal): Promise<DeploymentRow | undefined> {
    let row = first
    while (!signal.aborted) {
      if (!isUnfinished(row.status) && !isWriting(row.id)) return row
      const seen = nudge.count()
      const next = await look(row.id)
      if (!next) return undefined
      if (fingerprint(next) !== fingerprint(row) && isUnfinished(next.status)) send(statusFrame(next))
      const isSame = fingerprint(next) === fingerprint(row)
      row = next
      if (isSame) await nudge.changedSince(seen, AbortSignal.any([signal, AbortSignal.timeout(LOOK_AGAIN_MS)]))
    }
    return undefined
  }

  async function followStatus(first: DeploymentRow, send: Send, signal: AbortSignal): Promise<DeploymentRow | undefined> {
    try {
      return await followUntilEnd(first, send, signal)
    } finally {
      looks.delete(first.id)
    }
  }

  return { statusFrame, followStatus }
}

function createLogFrames(now: () => Date) {
  /** A batch of new lines, and its encoded bytes, are shared by all sockets. */
  const encoded = new WeakMap<readonly LogLine[], EncodedFrames>()

  function sharedFrames(batch: readonly LogLine[]): EncodedFrames {
    const known = encoded.get(batch)
    if (known) return known
    const frames = framesOf(batch)
    encoded.set(batch, frames)
    return frames
  }

  function framesOf(batch: readonly LogLine[], room?: Buffer<ArrayBuffer>): EncodedFrames {
    const timestamp = now().toISOString()
    const frames = batch.map((data) => ({ type: 'log', timestamp, data }))
    return encodeFrames(frames, room)
  }

  return { sharedFrames, framesOf }
}

/** Streams the status and log of one deployment: the current status, the past log, live lines, and the end. */
export function createDeploymentStreams(deps: Deps) {
  const { now } = deps
  const { statusFrame, followStatus } = createStatusFollowing(deps)
  const { sharedFrames, framesOf } = createLogFrames(now)

  async function stream(deployment: DeploymentRow, from: number, peer: Listener): Promise<void> {
    const { send, signal } = peer
    send(statusFrame(deployment))
    const ended = new AbortController()
    const lines = sendLines(deployment.id, { from, ended: AbortSignal.any([signal, ended.signal]) }, peer)
    const failed = new AbortController()
    lines.catch(() => failed.abort()) // thrown below, at once: the client connects again
    const last = await followStatus(deployment, send, AbortSignal.any([signal, failed.signal]))
    await sleep(0) // everything flushed before the end is in the file now
    ended.abort()
    await lines
    if (!last || signal.aborted) return
    if (last.status === 'failed') send({ type: 'error', timestamp: now().toISOString(), data: { message: last.error_message } })
    send(statusFrame(last))
  }

  async function sendLines(deploymentId: number, { from, ended }: { from: number; ended: AbortSignal }, peer: Listener): Promise<void> {
    const room = Buffer.allocUnsafe(ROOM_BYTES)
    for await (const { lines, isShared } of deps.logs.follow(deploymentId, from, ended)) {
      if (isShared) await peer.room()
      if (peer.signal.aborted) return // nobody is left to read the rest
      if (isShared) peer.sendEncoded(sharedFrames(lines))
      else await peer.sendEncodedAndWait(framesOf(lines, room))
    }
  }

  return {
    'deployment.stream': async ({ deployment, input, ...peer }) => await stream(deployment, input.from ?? 0, peer),
    'deployment.streamById': async ({ deployment, input, ...peer }) => await stream(deployment, input.from ?? 0, peer),
  } satisfies Partial<Streams>
}

import type { IncomingMessage } from 'node:http'
import { AppError } from '../lib/app-error.ts'
import type { ByteBudget } from './byte-budget.ts'

export type BodyDeadlines = { bodyDeadlineMs: number; bodyPaceMs: number }

type Options = BodyDeadlines & {
  limitBytes: number
  /** The budget the bytes count against until all have arrived and may be used. */
  budget: ByteBudget
  key: string
  /** Waits until the body may be used. Until then its bytes count, too. */
  turn: (bytes: number) => Promise<unknown>
}

const PACE_BYTES_PER_SECOND = 1024
/** A piece takes some five hundred bytes of memory besides its own, so small ones are put together. */
const MOST_PIECES = 256

/**
 * Reads a body, with a maximum size, a deadline and a minimum rate. The received bytes count against the budget until the rest has
 * arrived.
 */
export async function readBody(request: IncomingMessage, options: Options): Promise<Buffer> {
  const { limitBytes, budget, key } = options
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw new AppError('body_too_large')
  const blocks: Buffer[] = []
  const pieces: Buffer[] = []
  let size = 0
  let reserved = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onData = (chunk: Buffer) => {
    size += chunk.length
    if (size > limitBytes) return reject(new AppError('body_too_large'))
    if (!budget.take(key, chunk.length)) return reject(new AppError('server_busy'))
    reserved += chunk.length
    pieces.push(chunk)
    if (pieces.length >= MOST_PIECES) blocks.push(Buffer.concat(pieces.splice(0)))
  }
  const onClose = () => {
    if (!request.readableEnded) reject(new AppError('invalid_request', { message: 'The connection ended before the body did.' }))
  }
  const clock = watchPace(options, { size: () => size, onSlow: () => reject(new AppError('body_too_slow')) })
  if (request.destroyed) onClose()
  request.on('data', onData).on('end', resolve).on('error', onClose).on('close', onClose)
  try {
    await promise
    clock.stop()
    await options.turn(size)
    return Buffer.concat([...blocks, ...pieces], size)
  } finally {
    clock.stop()
    request.off('data', onData).off('end', resolve).off('error', onClose).off('close', onClose)
    budget.giveBack(key, reserved)
  }
}

/** Without a minimum rate a client could send single bytes and hold its connection forever. */
function watchPace({ bodyDeadlineMs, bodyPaceMs }: BodyDeadlines, watched: { size: () => number; onSlow: () => void }): { stop(): void } {
  const beganAt = performance.now()
  const leastBytes = (bodyPaceMs / 1000) * PACE_BYTES_PER_SECOND
  let seen = 0
  const look = () => {
    const isLate = performance.now() - beganAt >= bodyDeadlineMs
    if (isLate || watched.size() - seen < leastBytes) return watched.onSlow()
    seen = watched.size()
    timer = setTimeout(look, bodyPaceMs)
  }
  let timer = setTimeout(look, bodyPaceMs)
  return { stop: () => clearTimeout(timer) }
}

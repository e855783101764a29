import { request } from 'node:http'
import { connect } from 'node:net'
import { poll } from '../../../../lib/retry.ts'

/** `isFinal`: it will not become healthy. */
export type Probe = { healthy: true } | { healthy: false; reason: string; isFinal?: boolean }

export const nothingResponds = (port: number | null): string => `nothing responds on port ${port}`

/** Checked from outside the container, as a visitor would see it. */
export async function probePort(ip: string, port: number, signal: AbortSignal): Promise<Probe> {
  const answered = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: ip, port, timeout: 2000 })
    const done = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => done(true))
    socket.once('timeout', () => done(false))
    socket.once('error', () => done(false))
    signal.addEventListener('abort', () => done(false), { once: true })
  })
  return answered ? { healthy: true } : { healthy: false, reason: nothingResponds(port) }
}

/**
 * Not with `fetch`: undici retries after a 421 and drops a 407, and the unread rest of such a response can crash the process. Only the
 * status is read here.
 */
export async function probePath(url: string, signal: AbortSignal): Promise<Probe> {
  const status = await statusOf(url, AbortSignal.any([signal, AbortSignal.timeout(5000)]))
  if (status === undefined) return { healthy: false, reason: 'the health check path did not respond within 5 seconds' }
  if (status >= 200 && status < 400) return { healthy: true }
  return { healthy: false, reason: `the health check path answered ${status}` }
}

function statusOf(url: string, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asked = request(url, { agent: false, signal, maxHeaderSize: 64 * 1024 }, (answer) => {
      answer.on('error', () => undefined) // the connection is closed right here
      resolve(answer.statusCode)
      asked.destroy()
    })
    asked.on('upgrade', (answer, socket) => {
      socket.destroy()
      resolve(answer.statusCode)
    })
    asked.on('error', () => resolve(undefined))
    asked.on('close', () => resolve(undefined))
    asked.end()
  })
}

const ANSWER_MS = 1000

/** Whether something listens there and, if a path is given, answers well at it: asked often, so it must answer soon. */
export async function probeTarget({ ip, port }: { ip: string; port: number }, path: string): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  const { healthy } = await probePort(ip, port, signal)
  return healthy && (path === '' || (await probePath(`http://${ip}:${port}${path}`, signal)).healthy)
}

type Wait = { probe: () => Promise<Probe>; deadlineMs: number; intervalMs: number; signal: AbortSignal }

/** Checks until it is healthy or the time is over; the last reason says why not. */
export async function waitUntilHealthy({ probe, deadlineMs, intervalMs, signal }: Wait): Promise<Probe> {
  return await poll(probe, {
    until: (result) => result.healthy || result.isFinal === true,
    everyMs: intervalMs,
    limitMs: deadlineMs,
    signal,
  })
}

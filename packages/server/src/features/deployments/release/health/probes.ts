import { request } from 'node:http'
import { connect } from 'node:net'
import { poll } from '../../../../lib/retry.ts'

/** `isFinal`: it will not become healthy. */
export type Probe = { healthy: true } | { healthy: false; reason: string; isFinal?: boolean }

export const nothingAnswers = (port: number | null): string => `nothing answers on port ${port}`

/** Judged from outside the container: what a visitor would meet. */
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
  return answered ? { healthy: true } : { healthy: false, reason: nothingAnswers(port) }
}

/**
 * By hand and not by `fetch`: undici asks again after a 421 and drops an answer of 407, and what it does not read of such an answer can end
 * the process. Here the status is all that is read.
 */
export async function probePath(url: string, signal: AbortSignal): Promise<Probe> {
  const status = await statusOf(url, AbortSignal.any([signal, AbortSignal.timeout(5000)]))
  if (status === undefined) return { healthy: false, reason: 'the health path did not answer within 5 seconds' }
  if (status >= 200 && status < 400) return { healthy: true }
  return { healthy: false, reason: `the health path answered ${status}` }
}

function statusOf(url: string, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asked = request(url, { agent: false, signal, maxHeaderSize: 64 * 1024 }, (answer) => {
      answer.on('error', () => undefined) // it is cut off right here
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

type Wait = { probe: () => Promise<Probe>; deadlineMs: number; intervalMs: number; signal: AbortSignal }

/** Asks until it is healthy or the time is over; the last reason says why. */
export async function waitUntilHealthy({ probe, deadlineMs, intervalMs, signal }: Wait): Promise<Probe> {
  return await poll(probe, {
    until: (result) => result.healthy || result.isFinal === true,
    everyMs: intervalMs,
    limitMs: deadlineMs,
    signal,
  })
}

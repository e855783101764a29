import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Probe = { healthy: true } | { healthy: false; reason: string }

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
  return answered ? { healthy: true } : { healthy: false, reason: `nothing answers on port ${port}` }
}

export async function probePath(url: string, signal: AbortSignal): Promise<Probe> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.any([signal, AbortSignal.timeout(5000)]) })
    await response.body?.cancel()
    if (response.status >= 200 && response.status < 400) return { healthy: true }
    return { healthy: false, reason: `the health path answered ${response.status}` }
  } catch {
    return { healthy: false, reason: 'the health path did not answer within 5 seconds' }
  }
}

type Wait = { probe: () => Promise<Probe>; deadlineMs: number; intervalMs: number; signal: AbortSignal }

/** Asks until it is healthy or the time is over; the last reason says why. */
export async function waitUntilHealthy({ probe, deadlineMs, intervalMs, signal }: Wait): Promise<Probe> {
  const giveUpAt = performance.now() + deadlineMs
  for (;;) {
    const result = await probe()
    if (result.healthy || performance.now() > giveUpAt) return result
    signal.throwIfAborted()
    await sleep(intervalMs, undefined, { signal })
  }
}

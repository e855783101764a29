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

const MOST_HEAD_BYTES = 64 * 1024
const MOST_INTERIM = 8

/** Only the status of the response is read. */
export async function probePath(url: string, signal: AbortSignal): Promise<Probe> {
  const answer = await statusOf(new URL(url), AbortSignal.any([signal, AbortSignal.timeout(5000)]))
  if (answer === 'none') return { healthy: false, reason: 'the health check path did not respond within 5 seconds' }
  if (answer === 'interim') return { healthy: false, reason: 'the health check path sends interim responses (1xx) without end' }
  return answer >= 200 && answer < 400 ? { healthy: true } : { healthy: false, reason: `the health check path answered ${answer}` }
}

type Answer = number | 'none' | 'interim'

/** Not with a client for HTTP: such a client reads whatever an app sends, and interim responses without end would keep the server busy. */
function statusOf({ hostname, port, pathname, search }: URL, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 80), signal })
    let head = ''
    const done = (answer: Answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      head += chunk
      const answer = answerIn(head)
      if (answer !== undefined) done(answer)
      else if (head.length > MOST_HEAD_BYTES) done('none')
    })
    socket.on('error', () => done('none')) // not once: there may be a second one
    socket.once('close', () => done('none'))
    const lines = [`GET ${pathname}${search} HTTP/1.1`, `Host: ${hostname}:${port || 80}`, 'User-Agent: Berth', 'Connection: close']
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  })
}

/** The first response that is not interim; undefined as long as it is not complete. A switch of protocols (101) is final. */
function answerIn(text: string): Answer | undefined {
  let begin = 0
  for (let interim = 0; interim <= MOST_INTERIM; interim += 1) {
    const end = text.indexOf('\r\n\r\n', begin)
    if (end === -1) return undefined
    const status = /^HTTP\/1\.[01] (\d{3})(?!\d)/.exec(text.slice(begin, begin + 13))?.[1]
    if (status === undefined) return 'none'
    if (!status.startsWith('1') || status === '101') return Number(status)
    begin = end + 4
  }
  return 'interim'
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

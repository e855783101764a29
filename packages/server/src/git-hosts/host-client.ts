import type { IncomingHttpHeaders } from 'node:http'
import { type Agent, request } from 'node:https'
import { parseCloneUrl } from '../git/clone-url.ts'
import { SourceError } from '../git/errors.ts'
import type { SourcePolicy } from '../git/source-policy.ts'
import { parseForeignJson, TooManyParts } from '../lib/foreign-json.ts'
import { limitInterim } from '../lib/limit-interim.ts'
import type { TlsToStrangers } from '../lib/tls-to-strangers.ts'
import { HostError } from './errors.ts'
import { createHostConnections } from './host-connections.ts'
import { connectionFailure, failureOf } from './host-failure.ts'

export type Ask = {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the API's base, with each part encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: unknown
}
type HostAnswer = {
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  /** The visit has read so much that another response may exceed its limit. */
  readonly isLast: boolean
}
export type AskHost = (ask: Ask) => Promise<HostAnswer>
export type Place = {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether the person who set the host's URL may use private addresses. */
  readonly privileged: boolean
  readonly signal: AbortSignal
}

type Reply = { status: number; headers: IncomingHttpHeaders; text: string }

const MAX_BYTES = 2 * 1024 * 1024 // per response
const MAX_VISIT_BYTES = 16 * 1024 * 1024
/** Per response. Each piece takes memory and time of its own, even if it has one byte only. */
const MAX_PIECES = 20_000
const SILENCE_MS = 15_000
const MAX_REDIRECTS = 3

type Deps = { policy: Pick<SourcePolicy, 'admit'>; tls: Pick<TlsToStrangers, 'connect'>; now: () => Date }

/** Connects to git hosts: only over https, and only to addresses that the source policy allows. */
export function createHostClient(deps: Deps) {
  const agentFor = createHostConnections(deps.tls)

  async function addressOf({ base, privileged, signal }: Place): Promise<string> {
    const url = parseCloneUrl(`${base}/x`)
    if (url?.kind !== 'https') throw new HostError('refused', 'The address of a git host must begin with https://.')
    const hostName = new URL(base).hostname
    try {
      const { address } = await deps.policy.admit(url, { privileged, signal })
      return address ?? hostName
    } catch (cause) {
      if (!(cause instanceof SourceError)) throw connectionFailure(cause, hostName)
      const message = cause.message
        .replace('Check the clone URL', 'Check its address')
        .replace(/The host "[^"]*" of the clone URL/, hostName)
        .replaceAll(/the clone URL|the repository's host|the git host/gi, hostName)
      throw new HostError(cause.isTransient ? 'unavailable' : 'refused', message, { cause })
    }
  }

  /** One visit: the host's name is resolved and checked once, and all requests of the visit go to that address. */
  return async function visit<Result>(place: Place, work: (ask: AskHost) => Promise<Result>): Promise<Result> {
    const address = await addressOf(place)
    const base = new URL(place.base)
    const agent = agentFor(base.host, address)
    const ended = new AbortController()
    const signal = AbortSignal.any([place.signal, ended.signal])
    const budget = { bytes: MAX_VISIT_BYTES }
    const ask: AskHost = async (asked) => {
      const reply = await follow({ url: urlOf(place.base, asked), agent, headers: place.headers, signal, asked, budget })
      if (reply.status >= 300) throw failureOf({ ...reply, hostName: base.hostname }, deps.now())
      return { headers: reply.headers, body: jsonIn(reply.text, base.hostname), isLast: budget.bytes < MAX_BYTES }
    }
    try {
      return await work(ask)
    } finally {
      ended.abort()
    }
  }
}

export type HostClient = ReturnType<typeof createHostClient>

function urlOf(base: string, { path, query }: Ask): URL {
  const url = new URL(base + path)
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value))
  return url
}

type Sending = Pick<Place, 'headers' | 'signal'> & { url: URL; agent: Agent; asked: Ask; budget: { bytes: number } }

/** For a renamed repository the host redirects to its new path. Only followed on the same host, because the token is for that host only. */
async function follow(sending: Sending, redirects = 0): Promise<Reply> {
  const { url, asked } = sending
  const reply = await send(sending).catch((cause: unknown) => {
    throw cause instanceof HostError ? cause : connectionFailure(cause, url.hostname)
  })
  const { location } = reply.headers
  const isRedirect = [301, 302, 307, 308].includes(reply.status) && (asked.method ?? 'GET') === 'GET'
  if (!isRedirect || location === undefined || !URL.canParse(location, url.href) || redirects >= MAX_REDIRECTS) return reply
  const next = new URL(location, url)
  return next.origin === url.origin ? await follow({ ...sending, url: next }, redirects + 1) : reply
}

async function send(sending: Sending): Promise<Reply> {
  const { url, agent, headers: given, signal, asked, budget } = sending
  const body = asked.body === undefined ? undefined : JSON.stringify(asked.body)
  const headers = {
    accept: 'application/json',
    'user-agent': 'Berth',
    ...given,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  let isAnswered = false
  const sent = request(url, { method: asked.method ?? 'GET', agent, headers, signal }, (response) => {
    isAnswered = true
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      budget.bytes -= chunk.length
      if (size > MAX_BYTES || budget.bytes < 0 || chunks.length >= MAX_PIECES)
        return void sent.destroy(new HostError('unavailable', `${url.hostname} sends more data than Berth can read.`))
      chunks.push(chunk)
    })
    response.once('error', reject)
    response.once('end', () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') }),
    )
  })
  sent.setTimeout(SILENCE_MS, () => sent.destroy(new HostError('unavailable', `${url.hostname} responds too slowly. Try again later.`)))
  limitInterim(sent)
  sent.on('error', (cause) => {
    const isStale = sent.reusedSocket && !isAnswered && 'code' in cause && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE')
    if (isStale) return resolve(send(sending)) // the host had closed the idle connection
    reject(cause)
  })
  sent.on('close', () => isAnswered || reject(new Error('closed without an answer'))) // all that follows a switch to another protocol
  sent.end(body)
  return await promise
}

function jsonIn(text: string, hostName: string): unknown {
  if (text === '') return undefined
  try {
    return parseForeignJson(text)
  } catch (cause) {
    if (cause instanceof TooManyParts)
      throw new HostError('unavailable', `${hostName} sends more than Berth can read. ${cause.message}`, { cause })
    throw new HostError('unavailable', `${hostName} responds, but not like a git host of this kind. Check the address and the provider.`, {
      cause,
    })
  }
}

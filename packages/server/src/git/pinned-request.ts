import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { connect, type Socket } from 'node:net'
import { limitInterim } from '../lib/limit-interim.ts'
import type { TlsToStrangers } from '../lib/tls-to-strangers.ts'
import { RepositoryUnreachable, SourceError, SourceRefused } from './errors.ts'
import type { SourcePolicy } from './source-policy.ts'

type Asked = {
  readonly url: URL
  readonly privileged: boolean
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}
const SILENCE_MS = 30_000

/**
 * One request to an address that the source policy allows: the name is resolved and checked once, and the connection goes to that very
 * address. Redirects are not followed.
 */
export function createPinnedRequest(deps: { policy: Pick<SourcePolicy, 'admit'>; tls: Pick<TlsToStrangers, 'connect'> }) {
  const connectTo = (url: URL, address: string): Socket => {
    const { host: name, port } = placeOf(url)
    return url.protocol === 'https:' ? deps.tls.connect({ name, address, port }) : connect({ host: address, port })
  }

  return async function pinnedRequest({ url, privileged, method = 'GET', headers = {}, body, signal }: Asked): Promise<IncomingMessage> {
    const address = await addressOf(deps.policy, url, { privileged, signal })
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const sent = (url.protocol === 'https:' ? https : http).request(
      url,
      {
        method,
        headers: { 'user-agent': 'Berth', ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
        signal,
        createConnection: () => connectTo(url, address), // without an agent: a connection that is kept was checked for another request
      },
      resolve,
    )
    const fail = (cause: unknown) => reject(signal.aborted ? signal.reason : brokenConnection(url, cause))
    const slow = () =>
      sent.destroy(new RepositoryUnreachable(`${url.hostname} responds too slowly. Try again later.`, { isTransient: true }))
    sent.setTimeout(SILENCE_MS, slow)
    limitInterim(sent)
    // Not once: a second error without a listener would end the server.
    sent.on('error', fail)
    sent.on('upgrade', (_answer, socket) => {
      socket.on('error', () => undefined) // Node.js has removed its own listener
      socket.destroy()
      fail(new SourceError(`${url.hostname} switches to another protocol instead of sending the file.`))
    })
    sent.on('close', () => fail(new Error('closed without an answer'))) // nothing once there is one
    signal.addEventListener('abort', fail)
    try {
      sent.end(body)
    } catch (cause) {
      sent.destroy()
      fail(cause)
    }
    return await promise.finally(() => signal.removeEventListener('abort', fail))
  }
}

export type PinnedRequest = ReturnType<typeof createPinnedRequest>

type Caller = { privileged: boolean; signal: AbortSignal }

async function addressOf(policy: Pick<SourcePolicy, 'admit'>, url: URL, caller: Caller): Promise<string> {
  const kind = url.protocol === 'https:' ? 'https' : url.protocol === 'http:' ? 'http' : undefined
  if (kind === undefined) throw new SourceRefused('Files are only fetched over https and http.')
  const { host, port } = placeOf(url)
  const { address } = await policy.admit({ kind, host, port, href: url.origin }, caller)
  return address ?? host
}

function placeOf({ protocol, hostname, port }: URL): { host: string; port: number } {
  const usual = protocol === 'https:' ? 443 : 80
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? usual : Number(port) }
}

/** What a request or its answer failed with, as a message for people. */
export function brokenConnection(url: URL, cause: unknown): SourceError {
  if (cause instanceof SourceError) return cause
  return new RepositoryUnreachable(`The connection to ${url.hostname} failed. Try again later.`, { isTransient: true, cause })
}

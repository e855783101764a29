import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request } from 'node:https'
import { buffer } from 'node:stream/consumers'

const NEW_ORDER = '/order-plz'
const TYPE = 'urn:ietf:params:acme:error:rateLimited'
const TOO_MANY = JSON.stringify({ type: TYPE, detail: 'too many certificates already issued' })
const TOO_MANY_OF_ACCOUNT = JSON.stringify({ type: TYPE, detail: 'too many new orders (300) from this account in the last 3h0m0s' })

/** A proxy in front of Pebble that records orders, and can refuse them like a rate-limiting authority. */
export async function startAcmeProxy(to: { port: number; pem: string }) {
  const orders: string[] = []
  const limited = new Map<string, number>()
  let accountLimit: number | undefined

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req)
    const hosts = req.url === NEW_ORDER ? hostsIn(body) : []
    orders.push(...hosts)
    const ofAccount = hosts.length > 0 ? accountLimit : undefined
    const retryAfter = ofAccount ?? hosts.map((host) => limited.get(host)).find((seconds) => seconds !== undefined)
    if (retryAfter === undefined) return await pass(req, res, body)
    const headers = { 'retry-after': String(retryAfter), 'content-type': 'application/problem+json', 'replay-nonce': 'none' }
    res.writeHead(429, headers).end(ofAccount === undefined ? TOO_MANY : TOO_MANY_OF_ACCOUNT)
  }

  /** Keeps the Host header: the authority builds its URLs from it, so everything goes through this proxy. */
  async function pass({ url, method, headers }: IncomingMessage, res: ServerResponse, body: Buffer): Promise<void> {
    const sent = request({
      host: '127.0.0.1',
      port: to.port,
      path: url,
      method,
      headers,
      ca: to.pem,
      servername: 'localhost',
      agent: false,
    })
    sent.end(body)
    const [received] = (await once(sent, 'response')) as [IncomingMessage] // the event's only argument
    res.writeHead(received.statusCode ?? 502, received.headers)
    received.pipe(res)
  }

  const server = createServer({ key: to.pem, cert: to.pem }, (req, res) => void answer(req, res).catch(() => res.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    port: address.port,
    orders,
    limit: (host: string, retryAfterSeconds: number) => void limited.set(host, retryAfterSeconds),
    limitAccount: (retryAfterSeconds: number | undefined) => void (accountLimit = retryAfterSeconds),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function hostsIn(body: Buffer): string[] {
  const { payload } = JSON.parse(body.toString()) as { payload: string } // a signed message of RFC 8555, as the client's library writes it
  const order = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { identifiers: { value: string }[] }
  return order.identifiers.map(({ value }) => value)
}

import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request as requestHttp } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as requestHttps } from 'node:https'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'

export type Visit = {
  host: string
  path?: string
  method?: string
  headers?: OutgoingHttpHeaders
  body?: Buffer | string
  /** If given, the request uses TLS and trusts this certificate authority; the server name is the host. */
  ca?: string
}
export type Answer = { status: number; headers: IncomingHttpHeaders; text: string }
type Ports = { httpPort: number; httpsPort: number }

/** One request to the edge, on a new connection. */
export async function visit(ports: Ports, { host, path = '/', method = 'GET', headers = {}, body, ca }: Visit): Promise<Answer> {
  const shared = { host: '127.0.0.1', path, method, headers: { host, ...headers }, agent: false } as const
  const answer = Promise.withResolvers<Answer>()
  const sent =
    ca === undefined
      ? requestHttp({ ...shared, port: ports.httpPort })
      : requestHttps({ ...shared, port: ports.httpsPort, ca, servername: serverName(host) })
  sent.on('response', (response) => {
    buffer(response).then(
      (bytes) => answer.resolve({ status: response.statusCode ?? 0, headers: response.headers, text: bytes.toString() }),
      answer.reject,
    )
  })
  sent.on('error', answer.reject)
  sent.end(body)
  return await answer.promise
}

/** A WebSocket to an app that sends back what it receives. `say` resolves with the answer. */
export async function openEcho(ports: Ports, host: string): Promise<{ socket: Duplex; say: (text: string) => Promise<string> }> {
  const headers = {
    host,
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  }
  const opened = Promise.withResolvers<Duplex>()
  const sent = requestHttp({ host: '127.0.0.1', port: ports.httpPort, path: '/ws', headers, agent: false })
  sent.on('upgrade', (_response, socket) => opened.resolve(socket))
  sent.on('response', (response) => opened.reject(new Error(`no upgrade: ${response.statusCode}`)))
  sent.on('error', opened.reject)
  sent.end()
  const socket = await opened.promise
  const say = async (text: string) =>
    await new Promise<string>((resolve, reject) => {
      socket.once('data', (frame: Buffer) => resolve(frame.subarray(2).toString()))
      socket.once('close', () => reject(new Error('the socket closed')))
      // a text frame of less than 126 bytes, masked with zeros
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]))
    })
  return { socket, say }
}

/** One request over HTTP/2. */
export async function visitHttp2(
  ports: Ports,
  { host, path = '/', ca }: { host: string; path?: string; ca: string },
): Promise<Omit<Answer, 'headers'>> {
  const session = connectHttp2(`https://${host}:${ports.httpsPort}`, { host: '127.0.0.1', ca, servername: host })
  try {
    const stream = session.request({ ':path': path, ':authority': host })
    const answer = Promise.withResolvers<Omit<Answer, 'headers'>>()
    stream.on('response', (headers) => {
      buffer(stream).then((bytes) => answer.resolve({ status: Number(headers[':status']), text: bytes.toString() }), answer.reject)
    })
    stream.on('error', answer.reject)
    session.on('error', answer.reject)
    stream.end()
    return await answer.promise
  } finally {
    session.close()
  }
}

/** The SHA-256 fingerprint of the certificate that the edge sends for a host name. */
export async function certificateShown(ports: Ports, host: string): Promise<string> {
  const shown = Promise.withResolvers<string>()
  const socket = connectTls({ host: '127.0.0.1', port: ports.httpsPort, servername: host, rejectUnauthorized: false }, () =>
    shown.resolve(socket.getPeerCertificate().fingerprint256),
  )
  socket.on('error', shown.reject)
  try {
    return await shown.promise
  } finally {
    socket.destroy()
  }
}

/** Checks the certificate as a browser that trusts only this root. `length` is the number of certificates in the chain. */
export async function verified(
  ports: Ports,
  host: string,
  root: string,
): Promise<{ isTrusted: boolean; length: number; protocol: string | null }> {
  const seen = Promise.withResolvers<{ isTrusted: boolean; length: number; protocol: string | null }>()
  const socket = connectTls({ host: '127.0.0.1', port: ports.httpsPort, servername: host, ca: root, rejectUnauthorized: false }, () => {
    let length = 1
    let certificate = socket.getPeerCertificate(true)
    for (; certificate.issuerCertificate?.fingerprint256 !== undefined; certificate = certificate.issuerCertificate) {
      if (certificate.issuerCertificate.fingerprint256 === certificate.fingerprint256) break // a root is its own issuer
      length += 1
    }
    seen.resolve({ isTrusted: socket.authorized, length, protocol: socket.getProtocol() })
  })
  socket.on('error', seen.reject)
  try {
    return await seen.promise
  } finally {
    socket.destroy()
  }
}

/** A host without its port and without a final dot. */
function serverName(host: string): string {
  return (host.split(':')[0] ?? '').replace(/\.$/, '')
}

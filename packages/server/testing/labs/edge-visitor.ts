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
  /** Over TLS, with this authority; the name in the handshake is the host's. */
  ca?: string
}
export type Answer = { status: number; headers: IncomingHttpHeaders; text: string }
type Ports = { httpPort: number; httpsPort: number }

/** A request to the edge by host name, over its own connection. */
export async function visit(ports: Ports, { host, path = '/', method = 'GET', headers = {}, body, ca }: Visit): Promise<Answer> {
  const shared = { host: '127.0.0.1', path, method, headers: { host, ...headers }, agent: false } as const
  const answer = Promise.withResolvers<Answer>()
  const sent =
    ca === undefined
      ? requestHttp({ ...shared, port: ports.httpPort })
      : requestHttps({ ...shared, port: ports.httpsPort, ca, servername: bare(host) })
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

/** A socket after its upgrade; what is written to it comes back. */
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
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]))
    })
  return { socket, say }
}

/** One request over HTTP/2. */
export async function visitHttp2(ports: Ports, { host, path = '/', ca }: { host: string; path?: string; ca: string }): Promise<Answer> {
  const session = connectHttp2(`https://${host}:${ports.httpsPort}`, { host: '127.0.0.1', ca, servername: host })
  try {
    const stream = session.request({ ':path': path, ':authority': host })
    const answer = Promise.withResolvers<Answer>()
    stream.on('response', (headers) => {
      buffer(stream).then(
        (bytes) => answer.resolve({ status: Number(headers[':status']), headers: {}, text: bytes.toString() }),
        answer.reject,
      )
    })
    stream.on('error', answer.reject)
    session.on('error', answer.reject)
    stream.end()
    return await answer.promise
  } finally {
    session.close()
  }
}

/** The SHA-256 of the certificate that is shown for a name. */
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

/** What somebody finds who trusts this root alone and checks the chain and the name as a browser does. */
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
      if (certificate.issuerCertificate.fingerprint256 === certificate.fingerprint256) break // a root names itself
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

function bare(host: string): string {
  return (host.split(':')[0] ?? '').replace(/\.$/, '')
}

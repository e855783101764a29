import { randomUUID } from 'node:crypto'
import { performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import type { Transport } from '../api/transport.ts'
import { canonicalRegistry } from '../image-reference.ts'
import type { RegistryCredentials } from '../registry.ts'
import { fieldsOf } from './protobuf.ts'

const CREDENTIALS = '/moby.filesync.v1.Auth/Credentials'
const SECRET = '/moby.buildkit.secrets.v1.Secrets/GetSecret'
const HEALTH = '/grpc.health.v1.Health/Check'
const SERVING = Buffer.from([8, 1])
const FRAME_HEAD = 5
const MOST_BYTES = 64 * 1024

export type BuildSession = AsyncDisposable & { readonly id: string }

/** What a build may ask for. */
export type SessionAnswers = {
  readonly credentials: readonly RegistryCredentials[]
  readonly secretOf: (name: string) => Buffer | undefined
}

/**
 * The session of a build: the connection over which BuildKit asks, by gRPC, for credentials when it comes to a base image, and for a secret
 * when it comes to a step that mounts it. They are for this build alone, and are never in the Dockerfile, an argument or the image.
 */
export async function openBuildSession(
  transport: Pick<Transport, 'upgrade'>,
  { credentials, secretOf }: SessionAnswers,
  signal: AbortSignal,
): Promise<BuildSession> {
  const id = randomUUID()
  const headers = {
    'x-docker-expose-session-uuid': id,
    'x-docker-expose-session-name': 'berth',
    'x-docker-expose-session-sharedkey': '',
    'x-docker-expose-session-grpc-method': [CREDENTIALS, SECRET],
  }
  const socket = await transport.upgrade({ method: 'POST', path: '/session', headers, signal }, 'h2c')
  const session = performServerHandshake(socket)
  session.on('error', () => socket.destroy())
  session.on('stream', (stream, asked) => {
    stream.on('error', () => undefined) // the build ended before it read the answer
    const method = asked[':path']
    if (method === HEALTH) return answer(stream, SERVING)
    if (method !== CREDENTIALS && method !== SECRET) return fail(stream, UNIMPLEMENTED)
    void read(stream)
      .then((request) => {
        const name = firstText(request)
        if (method === CREDENTIALS) return answer(stream, credentialsAnswer(credentials, name))
        const secret = secretOf(name)
        return secret === undefined ? fail(stream, NOT_FOUND) : answer(stream, bytesField(1, secret))
      })
      .catch(() => stream.destroy())
  })
  return { id, [Symbol.asyncDispose]: async () => void socket.destroy() }
}

const NOT_FOUND = '5'
const UNIMPLEMENTED = '12'
const HEAD = { ':status': 200, 'content-type': 'application/grpc' }

function fail(stream: ServerHttp2Stream, status: string): void {
  stream.respond({ ...HEAD, 'grpc-status': status }, { endStream: true })
}

function answer(stream: ServerHttp2Stream, message: Buffer): void {
  const head = Buffer.alloc(FRAME_HEAD)
  head.writeUInt32BE(message.length, 1)
  stream.respond(HEAD, { waitForTrailers: true })
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream.end(Buffer.concat([head, message]))
}

async function read(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  // Without an encoding a stream yields buffers, which its type does not express.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_BYTES) return Buffer.alloc(0)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).subarray(FRAME_HEAD)
}

/** The first field of a request: the host as BuildKit writes it, or the name of a secret. */
function firstText(request: Buffer): string {
  for (const { number, value } of fieldsOf(request)) if (number === 1 && typeof value !== 'number') return value.toString('utf8')
  return ''
}

/** Empty if there are none for the host; BuildKit then asks the registry without credentials. */
function credentialsAnswer(credentials: readonly RegistryCredentials[], host: string): Buffer {
  const found = credentials.find((each) => each.host === canonicalRegistry(host))
  return found === undefined ? Buffer.alloc(0) : Buffer.concat([textField(1, found.username), textField(2, found.password)])
}

function textField(number: number, text: string): Buffer {
  return bytesField(number, Buffer.from(text))
}

function bytesField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + 2, ...lengthOf(bytes.length)]), bytes])
}

function lengthOf(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...lengthOf(Math.floor(value / 128))]
}

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { element, objectId, sequence } from '../../src/lib/der.ts'

/** A prime that is one more than a multiple of 2^640: square roots modulo it take about a hundred thousand multiplications. */
const PRIME = (1_000_297n << 640n) + 1n
const PRIME_BYTES = 83
const [A, B] = [1n, 7n] // y² = x³ + Ax + B

function power(base: bigint, exponent: bigint): bigint {
  let [result, square, left] = [1n, base % PRIME, exponent]
  for (; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % PRIME
    square = (square * square) % PRIME
  }
  return result
}

/** Of a point on the curve. */
function someX(): bigint {
  let x = 2n
  while (power(x ** 3n + A * x + B, (PRIME - 1n) / 2n) !== 1n) x += 1n
  return x
}

function bytesOf(value: bigint, length = 0): Buffer {
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(Math.max(2 * length, hex.length + (hex.length % 2)), '0'), 'hex')
}

const number = (value: number, bytes: number) => bytesOf(BigInt(value), bytes)

const integer = (value: bigint) => element(2, Buffer.of(0), bytesOf(value))

/** Of a key on a curve that it describes itself, with points of which only one coordinate is given: OpenSSL computes the other by a square root. */
function costlyCertificate(): Buffer {
  const point = Buffer.concat([Buffer.of(2), bytesOf(someX(), PRIME_BYTES)])
  const field = sequence(objectId('2a8648ce3d0101'), element(2, bytesOf(PRIME)))
  const curve = sequence(element(4, bytesOf(A)), element(4, bytesOf(B)))
  const parameters = sequence(element(2, bytesOf(1n)), field, curve, element(4, point), element(2, bytesOf(3n)))
  const key = sequence(sequence(objectId('2a8648ce3d0201'), parameters), element(3, Buffer.of(0), point))
  const algorithm = sequence(objectId('2a8648ce3d040302'))
  const name = sequence(element(0x31, sequence(objectId('550403'), element(0x0c, Buffer.from('localhost')))))
  const times = sequence(element(0x17, Buffer.from('200101000000Z')), element(0x17, Buffer.from('400101000000Z')))
  const content = sequence(element(0xa0, element(2, Buffer.of(2))), element(2, Buffer.of(1)), algorithm, name, times, name, key)
  return sequence(content, algorithm, element(3, Buffer.of(0), sequence(integer(1n), integer(1n))))
}

/** The beginning of a handshake in TLS 1.2, up to the certificates. A client reads them before anything is proven. */
function answerWith(certificate: Buffer, times: number): Buffer {
  const message = (type: number, body: Buffer) => Buffer.concat([Buffer.of(type), number(body.length, 3), body])
  const extensions = Buffer.from('ff01000100000b00020100', 'hex')
  const hello = Buffer.concat([
    Buffer.of(3, 3),
    Buffer.alloc(32, 7),
    Buffer.of(0, 0xc0, 0x2b, 0), // no session, ECDHE-ECDSA-AES128-GCM-SHA256, no compression
    number(extensions.length, 2),
    extensions,
  ])
  const entry = Buffer.concat([number(certificate.length, 3), certificate])
  const list = Buffer.concat(Array.from({ length: times }, () => entry))
  const all = Buffer.concat([message(2, hello), message(11, Buffer.concat([number(list.length, 3), list]))])
  const records: Buffer[] = []
  for (let at = 0; at < all.length; at += 16_384) {
    const part = all.subarray(at, at + 16_384)
    records.push(Buffer.from([22, 3, 3]), number(part.length, 2), part)
  }
  return Buffer.concat(records)
}

/** A TLS server whose certificates keep its clients busy: each for about a third of a second of computing. */
export async function startHostileTls({ certificates }: { certificates: number }) {
  const answer = answerWith(costlyCertificate(), certificates)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  return {
    port,
    connections: () => sockets.size,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

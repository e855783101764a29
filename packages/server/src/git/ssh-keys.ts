import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { withoutTrailing } from '../lib/without-trailing.ts'

const TYPE = 'ssh-ed25519'
const BLOCK = 8

/**
 * A new key pair: the public half as the line that hosts take, the private one in OpenSSH's own format (PROTOCOL.key), which every ssh reads;
 * PEM it reads for Ed25519 from version 9.6 on. Node.js makes the key, and this only puts its bytes in order.
 */
export function newKeyPair(comment: string): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url')
  const blob = Buffer.concat([text(TYPE), text(point)])
  const check = randomBytes(4)
  const secret = padded(Buffer.concat([check, check, blob, text(Buffer.concat([seed, point])), text(comment)]))
  const none = [text('none'), text('none'), text('')] // no cipher, no key derivation, no options of one
  const whole = Buffer.concat([Buffer.from('openssh-key-v1\0'), ...none, number(1), text(blob), text(secret)])
  const lines = whole.toString('base64').match(/.{1,70}/g) ?? []
  return {
    publicKey: `${TYPE} ${blob.toString('base64')} ${comment}`,
    privateKey: ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n'),
  }
}

/** As `ssh-keygen -l` shows it. The key is the second word, whatever follows. */
export function fingerprintOf(publicKey: string): string {
  const blob = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64')
  return `SHA256:${withoutTrailing(createHash('sha256').update(blob).digest('base64'), '=')}`
}

/** A pinned key of a host, `host:port type key`, as people see it. */
export function shownHostKey(pinned: string): string {
  const [place = '', ...key] = pinned.split(' ')
  return pinned === '' ? '' : `${place} ${fingerprintOf(key.join(' '))}`
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([number(bytes.length), bytes])
}

function padded(bytes: Buffer): Buffer {
  const missing = (BLOCK - (bytes.length % BLOCK)) % BLOCK
  return Buffer.concat([bytes, Buffer.from(Array.from({ length: missing }, (_, index) => index + 1))])
}

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { type Element, elementsOf, inSequence, TAG } from './der.ts'

/** Of the kind and its parameters: the size of a coordinate by curve. */
const CURVES: Readonly<Record<string, number>> = {
  '2a8648ce3d030107': 32, // P-256
  '2b81040022': 48, // P-384
  '2b81040023': 66, // P-521
}
const KIND = { rsa: '2a864886f70d010101', ec: '2a8648ce3d0201', ed25519: '2b6570' } as const
const UNCOMPRESSED = 0x04
const EC_PARAMETERS = 0xa0
const EC_POINT = 0xa1
const MOST_OF_A_PUBLIC_KEY = 2 * 1024
const MOST_OF_A_PRIVATE_KEY = 8 * 1024
const PRIVATE_KEY = /-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----([A-Za-z0-9+/=\s]+)-----END \1-----/
const FORMS = { 'PRIVATE KEY': 'pkcs8', 'RSA PRIVATE KEY': 'pkcs1', 'EC PRIVATE KEY': 'sec1' } as const

/**
 * OpenSSL computes while it reads a key: a public key that is missing, a point that is compressed, a curve that came with the key. With
 * parameters that somebody made for it that takes seconds, so only kinds that everybody uses are given to it.
 */
export class UnusualKey extends Error {}

/** Undefined if it cannot be read. Throws UnusualKey. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  const [, label = '', body = ''] = PRIVATE_KEY.exec(pem) ?? []
  const type = FORMS[label as keyof typeof FORMS] as (typeof FORMS)[keyof typeof FORMS] | undefined // the pattern allows no other label
  const key = Buffer.from(body, 'base64')
  if (type === undefined || key.length === 0) return undefined
  if (key.length > MOST_OF_A_PRIVATE_KEY || !readably(() => isUsualPrivateKey(key, type))) throw new UnusualKey()
  return readably(() => createPrivateKey({ key, format: 'der', type }))
}

/** Undefined if it cannot be read. Throws UnusualKey. */
export function readCertificate(der: Buffer): X509Certificate | undefined {
  const parts = readably(() => inSequence(inSequence(elementsOf(der)[0])[0]))
  if (parts === undefined || parts.length === 0) return undefined
  const [publicKey] = parts.slice(parts[0]?.tag === 0xa0 ? 6 : 5) // after the version, which may be left out, number, algorithm, issuer, times and subject
  if (!readably(() => isUsualPublicKey(inSequence(publicKey)))) throw new UnusualKey()
  return readably(() => new X509Certificate(der))
}

function readably<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function isUsualPublicKey([algorithm, bits]: readonly Element[]): boolean {
  const point = bits?.tag === TAG.bits ? bits.contents : Buffer.alloc(0)
  if (point.length > MOST_OF_A_PUBLIC_KEY) return false
  const { kind, curve } = algorithmOf(algorithm)
  if (kind === KIND.ec) return isPointOf(curve, point)
  return kind === KIND.rsa || kind === KIND.ed25519
}

function isUsualPrivateKey(der: Buffer, type: (typeof FORMS)[keyof typeof FORMS]): boolean {
  const [whole] = elementsOf(der)
  if (type === 'pkcs1') return true
  if (type === 'sec1') return isUsualEcKey(inSequence(whole), undefined)
  const [, algorithm, octets] = inSequence(whole)
  const { kind, curve } = algorithmOf(algorithm)
  if (kind === KIND.ec) return curve !== undefined && isUsualEcKey(inSequence(elementsOf(octets?.contents ?? Buffer.alloc(0))[0]), curve)
  return kind === KIND.rsa || kind === KIND.ed25519
}

/** The key may name its curve once more, and have its public half with it. */
function isUsualEcKey([, , ...more]: readonly Element[], outer: string | undefined): boolean {
  const named = more.find(({ tag }) => tag === EC_PARAMETERS)
  const own = named && curveIn(elementsOf(named.contents)[0])
  const curve = own ?? outer
  if (curve === undefined || (named !== undefined && own === undefined)) return false
  const [point] = elementsOf(more.find(({ tag }) => tag === EC_POINT)?.contents ?? Buffer.alloc(0))
  return point === undefined || isPointOf(curve, point.contents)
}

function algorithmOf(algorithm: Element | undefined): { kind: string; curve: string | undefined } {
  const [kind, parameters] = inSequence(algorithm)
  return { kind: kind?.tag === TAG.objectId ? kind.contents.toString('hex') : '', curve: curveIn(parameters) }
}

/** Undefined for every curve that we do not know by its name. */
function curveIn(element: Element | undefined): string | undefined {
  const name = element?.tag === TAG.objectId ? element.contents.toString('hex') : ''
  return Object.hasOwn(CURVES, name) ? name : undefined
}

/** The contents of a bit string: how many bits of the last byte are unused, then both coordinates. */
function isPointOf(curve: string | undefined, bits: Buffer): boolean {
  const size = CURVES[curve ?? ''] ?? 0
  return size > 0 && bits.length === 2 + 2 * size && bits[1] === UNCOMPRESSED
}

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { GitProvider } from '@berth/contract'

const HUB = /^sha256=[0-9a-f]{64}$/
const HEX = /^[0-9a-f]{64}$/

/** The proof in a delivery's headers: a signature of its bytes, or for GitLab the secret. Undefined if there is none. */
type Proof = { kind: 'signature'; hex: string } | { kind: 'secret'; text: string }

/** Any signature in the formats that hosts use. */
export function signatureShown(headers: IncomingHttpHeaders): string | undefined {
  const hub = headers['x-hub-signature-256']
  if (typeof hub === 'string') return HUB.test(hub) ? hub.slice('sha256='.length) : undefined
  const own = headers['x-forgejo-signature'] ?? headers['x-gitea-signature']
  return typeof own === 'string' && HEX.test(own) ? own : undefined
}

export function secretShown(headers: IncomingHttpHeaders): string | undefined {
  const text = headers['x-gitlab-token']
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** Each host has one kind of proof; the headers of other kinds are ignored. */
export function proofOf(provider: GitProvider, headers: IncomingHttpHeaders): Proof | undefined {
  if (provider === 'gitlab') {
    const text = secretShown(headers)
    return text === undefined ? undefined : { kind: 'secret', text }
  }
  if (provider === 'github' && headers['x-hub-signature-256'] === undefined) return undefined
  const hex = signatureShown(headers)
  return hex === undefined ? undefined : { kind: 'signature', hex }
}

/** Checks the raw bytes. Without a secret nothing is proven. */
export function isProven(proof: Proof, secret: string, body: Buffer): boolean {
  if (secret === '') return false
  if (proof.kind === 'secret') return timingSafeEqual(digest(proof.text), digest(secret))
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(proof.hex, 'hex'))
}

/** Hashed first, so that the comparison does not reveal the length of the secret. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

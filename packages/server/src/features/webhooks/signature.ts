import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { GitProvider } from '@berth/contract'

const HUB = /^sha256=[0-9a-f]{64}$/
const HEX = /^[0-9a-f]{64}$/

/** What a delivery shows for itself: a signature over its bytes, or with GitLab the secret. Undefined where it shows nothing of the kind. */
export type Proof = { kind: 'signature'; hex: string } | { kind: 'secret'; text: string }

/** Each host proves itself in its own way and in no other: what it does not send counts for nothing. */
export function proofOf(provider: GitProvider, headers: IncomingHttpHeaders): Proof | undefined {
  if (provider === 'gitlab') {
    const text = headers['x-gitlab-token']
    return typeof text === 'string' && text !== '' ? { kind: 'secret', text } : undefined
  }
  const hub = headers['x-hub-signature-256']
  if (typeof hub === 'string') return HUB.test(hub) ? { kind: 'signature', hex: hub.slice('sha256='.length) } : undefined
  if (provider === 'github') return undefined
  const own = headers['x-forgejo-signature'] ?? headers['x-gitea-signature']
  return typeof own === 'string' && HEX.test(own) ? { kind: 'signature', hex: own } : undefined
}

/** Over the bytes as they came. No secret proves nothing. */
export function isProven(proof: Proof, secret: string, body: Buffer): boolean {
  if (secret === '') return false
  if (proof.kind === 'secret') return timingSafeEqual(digest(proof.text), digest(secret))
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(proof.hex, 'hex'))
}

/** Of equal length, so that the comparison does not tell how long a secret is. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

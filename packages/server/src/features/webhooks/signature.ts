import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { GitProvider } from '@berth/contract'

const HUB = /^sha256=[0-9a-f]{64}$/
const HEX = /^[0-9a-f]{64}$/

/** What a delivery shows for itself: a signature over its bytes, or with GitLab the secret. Undefined where it shows nothing of the kind. */
type Proof = { kind: 'signature'; hex: string } | { kind: 'secret'; text: string }

/** Any signature of the kinds that hosts make. */
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

/** Each host proves itself in its own way and in no other: what it does not send counts for nothing. */
export function proofOf(provider: GitProvider, headers: IncomingHttpHeaders): Proof | undefined {
  if (provider === 'gitlab') {
    const text = secretShown(headers)
    return text === undefined ? undefined : { kind: 'secret', text }
  }
  if (provider === 'github' && headers['x-hub-signature-256'] === undefined) return undefined
  const hex = signatureShown(headers)
  return hex === undefined ? undefined : { kind: 'signature', hex }
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

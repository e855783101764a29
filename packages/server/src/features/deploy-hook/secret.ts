import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** 256 random bits need no slow hash, because they cannot be guessed. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Compares in constant time. An empty hash (no hook) never matches. */
export function isSecretOf(hash: string, secret: string): boolean {
  const [kept, given] = [Buffer.from(hash, 'hex'), Buffer.from(hashOf(secret), 'hex')]
  return kept.length === given.length && timingSafeEqual(kept, given)
}

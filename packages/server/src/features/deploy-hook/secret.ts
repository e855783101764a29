import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** 256 random bits need no slow hash: nobody can try them all. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** In constant time, and no hash is the hash of nothing. */
export function isSecretOf(hash: string, secret: string): boolean {
  const [kept, given] = [Buffer.from(hash, 'hex'), Buffer.from(hashOf(secret), 'hex')]
  return kept.length === given.length && timingSafeEqual(kept, given)
}

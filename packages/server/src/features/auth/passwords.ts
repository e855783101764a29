import { hash, verify } from '@node-rs/argon2'
import { fieldError } from '../../lib/app-error.ts'

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Made with the same cost from random bytes that nobody has: an unknown e-mail takes as long as a wrong password. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXJhbmRvbXNhbHQxMg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

const MOST_BYTES = 1024

export async function hashPassword(password: string, field = 'password'): Promise<string> {
  if (Buffer.byteLength(password) > MOST_BYTES) throw fieldError('invalid_request', field, 'must have at most 1,024 bytes')
  return await hash(password, COST)
}

export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const matches = await verify(passwordHash ?? NOBODY, password)
  return matches && passwordHash !== undefined
}

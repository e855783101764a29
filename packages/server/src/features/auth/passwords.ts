import { hash, verify } from '@node-rs/argon2'
import { fieldError } from '../../lib/app-error.ts'
import type { HashQueue } from './hash-queue.ts'

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A hash of random bytes with the same cost, so that an unknown email takes as long as a wrong password. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXJhbmRvbXNhbHQxMg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

const MOST_BYTES = 1024

/** Creates and checks password hashes, a few at a time. */
export function createPasswords({ queue }: { queue: Pick<HashQueue, 'run'> }) {
  /** New passwords are set by people who are logged in, and during setup, so they do not wait behind logins. */
  async function hashPassword(password: string, field = 'password'): Promise<string> {
    if (Buffer.byteLength(password) > MOST_BYTES) throw fieldError('invalid_request', field, 'must have at most 1,024 bytes')
    return await queue.run(async () => await hash(password, COST), { isFirst: true })
  }

  async function isPassword(password: string, passwordHash: string | undefined, { isFirst }: { isFirst: boolean }): Promise<boolean> {
    const matches = await queue.run(async () => await verify(passwordHash ?? NOBODY, password), { isFirst })
    return matches && passwordHash !== undefined
  }

  return { hashPassword, isPassword }
}

export type Passwords = ReturnType<typeof createPasswords>

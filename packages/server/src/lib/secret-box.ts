import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'

/** Without a fixed length a shorter tag would be accepted too, and could be guessed. */
const TAG = { authTagLength: 16 }
const NONCE_BYTES = 12
const NAME_DIGITS = 32
const HEAD_BYTES = NONCE_BYTES + TAG.authTagLength

/** Seals texts with AES-256-GCM. `about` is authenticated with it, so that a sealed value cannot be moved to another row. */
export function createSecretBox(keyBytes: Buffer) {
  const key = createSecretKey(keyBytes) // once: each use of the bytes would copy and check them again
  let namingKey: Buffer | undefined

  function seal(text: string, about: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key, nonce, TAG).setAAD(Buffer.from(about))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }

  function open(sealed: string, about: string): string {
    const bytes = Buffer.from(sealed, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), TAG).setAAD(Buffer.from(about))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, HEAD_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]).toString('utf8')
  }

  /** Always the same for one text, and nobody without the key can compute it. */
  function nameOf(text: string): string {
    namingKey ??= Buffer.from(hkdfSync('sha256', key, '', 'names', 32))
    return createHmac('sha256', namingKey).update(text).digest('hex').slice(0, NAME_DIGITS)
  }

  return { seal, open, nameOf }
}

export type SecretBox = ReturnType<typeof createSecretBox>

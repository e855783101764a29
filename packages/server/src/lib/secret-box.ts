import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** A shorter tag would be taken too, and could be guessed. */
const TAG = { authTagLength: 16 }

/** Seals texts with AES-256-GCM. `about` is bound in, so that a sealed value cannot be moved to another row. */
export function createSecretBox(key: Buffer) {
  function seal(text: string, about: string): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce, TAG).setAAD(Buffer.from(about))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }

  function open(sealed: string, about: string): string {
    const bytes = Buffer.from(sealed, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), TAG).setAAD(Buffer.from(about))
    decipher.setAuthTag(bytes.subarray(12, 28))
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
  }

  return { seal, open }
}

export type SecretBox = ReturnType<typeof createSecretBox>

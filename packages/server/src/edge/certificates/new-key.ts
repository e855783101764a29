import { generateKeyPairSync } from 'node:crypto'

/** A private key for a certificate or an account, as PEM. */
export function newKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

import { once } from 'node:events'
import { connect } from 'node:tls'
import { selfSignedCertificate } from '../../src/edge/certificates/placeholder.ts'

const DAY_MS = 86_400_000

/** A certificate as a user uploads it. */
export function ownCertificate(host: string, days = 1): { pem: string; chain: string; key: string } {
  const pem = selfSignedCertificate({ host, notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + days * DAY_MS) })
  const [chain = '', key = ''] = pem.split(/(?=-----BEGIN PRIVATE KEY-----)/)
  return { pem, chain, key }
}

/** Of the certificate that a visitor of this host is shown. */
export async function shownFingerprint({ httpsPort }: { httpsPort: number }, host: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: httpsPort, servername: host, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint.replaceAll(':', '')
}

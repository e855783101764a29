import { selfSigned } from '../../lib/x509.ts'

/** A self-signed certificate and its key in one PEM, served until the host has its own certificate. */
export function selfSignedCertificate(options: { host: string; notBefore: Date; notAfter: Date }): string {
  const { certificate, key } = selfSigned(options)
  return `${certificate}${key}`
}

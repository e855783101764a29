/** What the sealed keys of certificates and of the account are bound to. */

export function aboutCertificate({ host, source }: { host: string; source: string }): string {
  return `certificate:${source}:${host}`
}

export const ABOUT_ACCOUNT = 'acme-account'

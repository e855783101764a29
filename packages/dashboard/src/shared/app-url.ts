import type { Application, Domain } from '@berth/contract'

/** Where an app answers. https once a certificate is there; until it is known, http, which redirects by itself. */
export function appUrl(app: Pick<Application, 'domains'>, domains: readonly Domain[] = []): string | undefined {
  const [host] = app.domains
  if (host === undefined) return undefined
  const secure = domains.some(({ domain, sslStatus }) => domain === host && sslStatus === 'active')
  return `${secure ? 'https' : 'http'}://${host}/`
}

import type { Application, Domain } from '@berth/contract'

/** The public URL of an app: https once a certificate is active, otherwise http, which redirects when it can. */
export function appUrl(app: Pick<Application, 'domains'>, domains: readonly Domain[] = []): string | undefined {
  const [host] = app.domains
  if (host === undefined) return undefined
  const secure = domains.some(({ domain, sslStatus }) => domain === host && sslStatus === 'active')
  return `${secure ? 'https' : 'http'}://${host}/`
}

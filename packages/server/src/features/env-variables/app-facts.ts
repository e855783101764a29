import { referenceTo } from '@berth/contract'
import { type Source, UnresolvedReference } from './references.ts'

export type ReferredApp = {
  slug: string
  port: number | null
  /** Empty without a domain. */
  url: string
  /** For a database: its connection URL, from its variables. */
  connectionUrl?: (host: string, variables: Readonly<Record<string, string>>) => string
}

/** The variables needed for these names: the URL of a database is made of others. */
export function variablesBehind(names: Iterable<string>, connectionUrl: ReferredApp['connectionUrl']): Set<string> {
  const wanted = new Set(names)
  if (!connectionUrl || !(wanted.has('URL') || wanted.has('INTERNAL_URL'))) return wanted
  const noting: ProxyHandler<Record<string, string>> = { get: (_, name) => (wanted.add(String(name)), '') }
  connectionUrl('', new Proxy({}, noting))
  return wanted
}

/** What can be referenced of an app besides its variables. These names win: an app that sets HOST means the address it listens on. */
export function factsOf(app: ReferredApp): NonNullable<Source['fact']> {
  const missing = (name: string, why: string) => new UnresolvedReference(`${referenceTo(app.slug, name)}: ${why}`)
  const port = (name: string): number => {
    if (app.port === null) throw missing(name, 'the app has no port')
    return app.port
  }
  return (name, own) => {
    switch (name) {
      case 'HOST':
        return app.slug
      case 'PORT':
        return String(port(name))
      case 'URL':
        if (app.connectionUrl) return app.connectionUrl(app.slug, own.resolved())
        if (own.has('URL')) return undefined
        throw missing(name, 'only a database has a URL; use INTERNAL_URL or PUBLIC_URL')
      case 'INTERNAL_URL':
        return app.connectionUrl ? app.connectionUrl(app.slug, own.resolved()) : `http://${app.slug}:${port(name)}`
      case 'PUBLIC_URL':
        if (app.url === '') throw missing(name, 'the app has no domain')
        return app.url.replace(/\/$/, '') // so that a path can follow
      default:
        return undefined
    }
  }
}

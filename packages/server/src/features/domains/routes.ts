import type { Handlers } from '../../http/implement.ts'
import type { Domains } from './service.ts'

export function domainHandlers(domains: Domains) {
  return {
    'domains.create': async ({ caller, app, input }) => await domains.create(caller, app, input),
    'domains.list': async ({ app }) => await domains.list(app),
    'domains.update': async ({ caller, app, domain, input }) => await domains.update(caller, app, domain, input),
    'domains.check': async ({ caller, domain }) => await domains.checkNow(caller, domain),
    'domains.setCertificate': async ({ caller, app, domain, input, again }) =>
      await domains.setCertificate({ caller, app, domain, again }, input),
    'domains.removeCertificate': async ({ caller, app, domain, again }) => await domains.removeCertificate({ caller, app, domain, again }),
    'domains.delete': async ({ caller, app, domain }) => await domains.remove(caller, app, domain),
  } satisfies Partial<Handlers>
}

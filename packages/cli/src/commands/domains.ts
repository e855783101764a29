import type { Application, Domain } from '@berth/contract'
import { CannotDo, type Command, type Context, required, type Values, WrongUsage } from '../command.ts'
import { findApp } from '../find-app.ts'

function show(ctx: Context, domains: readonly Domain[]): void {
  const rows = domains.map((domain) => [domain.domain, domain.dnsStatus, domain.sslStatus, domain.dnsError || domain.sslError])
  ctx.out.table(['DOMAIN', 'DNS', 'CERTIFICATE', 'PROBLEM'], rows)
}

async function remove(ctx: Context, app: Application, host: string, values: Values): Promise<void> {
  const domains = await ctx.api('domains.list', { appId: app.id })
  const found = domains.find(({ domain }) => domain === host.toLowerCase())
  if (!found) throw new CannotDo('domain_not_found', `${app.name} has no domain ${host}.`, `Try: berth domains list ${app.id}`)
  await ctx.prompt.confirm(found.domain, values['yes'] === true)
  const answer = await ctx.api('domains.delete', { id: found.id })
  ctx.out.line(`${found.domain} removed.`)
  ctx.out.json(answer)
}

export const domains: Command = {
  usage: 'domains list|add|remove <app> [host]',
  summary: 'The host names of an app',
  options: { yes: { type: 'boolean', short: 'y', summary: 'remove without asking' } },
  async run(ctx, [action, words, host], values) {
    if (action !== 'list' && action !== 'add' && action !== 'remove')
      throw new WrongUsage('Say domains list, domains add or domains remove.')
    const app = await findApp(ctx.api, required(words, 'app'))
    if (action === 'remove') {
      await remove(ctx, app, required(host, 'host'), values)
      return 0
    }
    const isNew = action === 'add'
    const list = isNew
      ? [await ctx.api('domains.create', { appId: app.id, domain: required(host, 'host') })]
      : await ctx.api('domains.list', { appId: app.id })
    show(ctx, list)
    ctx.out.json(isNew ? list[0] : list)
    return 0
  },
}

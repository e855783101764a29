import type { Domain } from '@berth/contract'
import { requiredText, YES } from '../arguments.ts'
import { CannotDo, type Context, command } from '../command.ts'
import { changesFrom, inputFrom, optionsFor } from '../contract-input.ts'
import { readText } from '../files.ts'
import { findApp } from '../find-app.ts'

const CHANGE = {
  'redirect-https': { field: 'redirectHttps', value: 'on|off', summary: 'redirect http to https' },
  hsts: { field: 'hsts', value: 'on|off', summary: 'tell browsers to use https only' },
} as const

const TARGET = {
  service: { field: 'service', value: 'name', summary: 'the service of a compose app that visitors reach' },
  port: { field: 'port', value: 'port', summary: "the port of that service (default: the app's port)" },
} as const

function show(ctx: Context, domains: readonly Domain[]): void {
  const rows = domains.map((domain) => [
    domain.domain,
    domain.service === '' ? 'the app' : `${domain.service}${domain.port === null ? '' : `:${domain.port}`}`,
    domain.dnsStatus,
    domain.ownCertificate ? `${domain.sslStatus} (your own)` : domain.sslStatus,
    domain.dnsError || domain.sslError,
  ])
  ctx.out.table(['DOMAIN', 'TARGET', 'DNS', 'CERTIFICATE', 'PROBLEM'], rows)
}

function showOne(ctx: Context, domain: Domain): void {
  show(ctx, [domain])
  ctx.out.json(domain)
}

async function findDomain(ctx: Context, nameOrId: string, host: string): Promise<Domain> {
  const app = await findApp(ctx.api, nameOrId)
  const found = (await ctx.api('domains.list', { appId: app.id })).find(({ domain }) => domain === host.toLowerCase())
  if (!found) throw new CannotDo('domain_not_found', `${app.name} has no domain ${host}.`, `Try: berth domains list ${app.id}`)
  return found
}

const list = command({
  usage: 'domains list <app>',
  summary: 'List the domains of an app',
  async run(ctx, { app }) {
    const { id: appId } = await findApp(ctx.api, app)
    const found = await ctx.api('domains.list', { appId })
    show(ctx, found)
    ctx.out.json(found)
  },
})

const add = command({
  usage: 'domains add <app> <host>',
  summary: 'Add a domain to an app, or with --service to one service of a compose app',
  options: optionsFor(TARGET),
  async run(ctx, { app, host }, values) {
    const { id: appId } = await findApp(ctx.api, app)
    showOne(ctx, await ctx.api('domains.create', { appId, domain: host, ...inputFrom('domains.create', TARGET, values) }))
  },
})

const check = command({
  usage: 'domains check <app> <host>',
  summary: 'Check the DNS of a domain now, and retry its certificate',
  async run(ctx, { app, host }) {
    const { id } = await findDomain(ctx, app, host)
    showOne(ctx, await ctx.api('domains.check', { id }))
  },
})

const update = command({
  usage: 'domains update <app> <host>',
  summary: 'Change how a domain uses https',
  options: optionsFor(CHANGE),
  async run(ctx, { app, host }, values) {
    const changes = changesFrom('domains.update', CHANGE, values)
    const { id } = await findDomain(ctx, app, host)
    showOne(ctx, await ctx.api('domains.update', { ...changes, id }))
  },
})

const remove = command({
  usage: 'domains remove <app> <host>',
  summary: 'Remove a domain from an app; asks first',
  options: YES,
  async run(ctx, { app, host }, values) {
    const { id, domain } = await findDomain(ctx, app, host)
    await ctx.prompt.confirm(domain, values['yes'] === true)
    const answer = await ctx.api('domains.delete', { id })
    ctx.out.line(`Domain ${domain} removed.`)
    ctx.out.json(answer)
  },
})

const upload = command({
  usage: 'certificates upload <app> <host>',
  summary: 'Use your own certificate for a domain; give the files with --certificate and --key',
  options: {
    certificate: { type: 'string', value: 'file', summary: 'the certificate with its chain, in PEM form' },
    key: { type: 'string', value: 'file', summary: 'its private key, in PEM form' },
  },
  async run(ctx, { app, host }, values) {
    const certificate = readText(requiredText(values, 'certificate'))
    const privateKey = readText(requiredText(values, 'key'))
    const { id } = await findDomain(ctx, app, host)
    showOne(ctx, await ctx.api('domains.setCertificate', { id, certificate, privateKey }))
  },
})

const removeCertificate = command({
  usage: 'certificates remove <app> <host>',
  summary: 'Stop using your own certificate for a domain; asks first',
  options: YES,
  async run(ctx, { app, host }, values) {
    const { id, domain } = await findDomain(ctx, app, host)
    await ctx.prompt.confirm(domain, values['yes'] === true)
    showOne(ctx, await ctx.api('domains.removeCertificate', { id }))
  },
})

export const domains = [list, add, check, update, remove, upload, removeCertificate]

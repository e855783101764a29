import type { Registry } from '@berth/contract'
import { requiredText, textOf, YES } from '../arguments.ts'
import { CannotDo, type Context, command } from '../command.ts'
import { findApp, findProject } from '../find-app.ts'

/** By its ID, or by its host if there is one. */
async function findRegistry(ctx: Context, hostOrId: string): Promise<Registry> {
  const all = await ctx.api('registries.list')
  const found = all.filter(({ id, host }) => String(id) === hostOrId || host === hostOrId.toLowerCase())
  const [only] = found
  if (!only) throw new CannotDo('registry_not_found', `There are no credentials for the registry ${hostOrId}.`, 'Try: berth registries')
  if (found.length > 1)
    throw new CannotDo('ambiguous', `There are several credentials for ${hostOrId}; use the ID.`, 'Try: berth registries')
  return only
}

const list = command({
  usage: 'registries',
  summary: 'List the registries with saved credentials',
  async run(ctx) {
    const all = await ctx.api('registries.list')
    ctx.out.table(
      ['ID', 'HOST', 'USER', 'OWNER', 'STATUS'],
      all.map((each) => [
        String(each.id),
        each.host,
        each.username,
        each.projectId === null ? 'a person' : `project ${each.projectId}`,
        each.status,
      ]),
    )
    for (const { host, id, error } of all) if (error !== '') ctx.out.line(`${host} (id ${id}): ${error}`)
    ctx.out.json(all)
  },
})

const save = command({
  usage: 'registries login <host>',
  summary: 'Save credentials for an image registry; asks for the password, or reads it from standard input',
  options: {
    user: { type: 'string', short: 'u', value: 'name', summary: 'the user name' },
    project: { type: 'string', short: 'p', value: 'project', summary: 'a project whose apps all use them (default: only your images)' },
  },
  async run(ctx, { host }, values) {
    const username = requiredText(values, 'user')
    const project = textOf(values, 'project')
    const projectId = project === undefined ? null : (await findProject(ctx.api, project)).id
    const password = (await ctx.prompt.secret('Password or access token: ')).trim()
    const registry = await ctx.api('registries.create', { host, username, password, projectId })
    ctx.out.line(`Credentials for ${registry.host} saved (id ${registry.id}).`)
    ctx.out.json(registry)
  },
})

const check = command({
  usage: 'registries check <registry>',
  summary: 'Check that a registry accepts the saved credentials; fails if it does not',
  async run(ctx, { registry: hostOrId }) {
    const registry = await ctx.api('registries.check', { registryId: (await findRegistry(ctx, hostOrId)).id })
    ctx.out.line(registry.status === 'ok' ? `${registry.host} accepts the credentials.` : registry.error)
    ctx.out.json(registry)
    return registry.status === 'ok' ? 0 : 1
  },
})

const remove = command({
  usage: 'registries delete <registry>',
  summary: 'Delete the credentials for a registry; asks first',
  options: YES,
  async run(ctx, { registry: hostOrId }, values) {
    const { id, host } = await findRegistry(ctx, hostOrId)
    await ctx.prompt.confirm(host, values['yes'] === true)
    const answer = await ctx.api('registries.delete', { registryId: id })
    ctx.out.line(`Credentials for ${host} deleted. Images that were already pulled still run.`)
    ctx.out.json(answer)
  },
})

const checkImage = command({
  usage: 'apps check-image <app>',
  summary: 'Check whether the registry has a newer image for an app; with --deploy also deploy it',
  options: { deploy: { type: 'boolean', summary: 'deploy it if it is newer' } },
  async run(ctx, { app: nameOrId }, values) {
    const { id: appId, slug } = await findApp(ctx.api, nameOrId)
    const found = await ctx.api('apps.checkImage', { appId })
    ctx.out.line(found.isNewer ? `${found.image} is newer: ${found.digest}` : `${found.image} is already live: ${found.digest}`)
    ctx.out.json(found)
    if (!found.isNewer || values['deploy'] !== true) return
    const { id } = await ctx.api('deployments.create', { appId })
    ctx.out.line(`Deployment ${id} added. Follow it with: berth logs ${slug}`)
  },
})

const lookAtImage = command({
  usage: 'images check <image>',
  summary: 'Check whether an image can be pulled for a project; fails if it cannot',
  options: { project: { type: 'string', short: 'p', value: 'project', summary: 'the name or ID of the project' } },
  async run(ctx, { image }, values) {
    const { id: projectId } = await findProject(ctx.api, requiredText(values, 'project'))
    const found = await ctx.api('apps.lookAtImage', { projectId, image })
    ctx.out.line(found.found ? `${found.message}: ${found.digest}` : found.message)
    ctx.out.json(found)
    return found.found ? 0 : 1
  },
})

export const registries = [list, save, check, remove, checkImage, lookAtImage]

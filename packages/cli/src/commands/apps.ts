import { setTimeout as sleep } from 'node:timers/promises'
import type { ListedApplication } from '@berth/contract'
import { requiredText, textOf, textsOf, YES } from '../arguments.ts'
import { CannotDo, type Context, command, type Values } from '../command.ts'
import { changesFrom, inputFrom, optionsFor } from '../contract-input.ts'
import { parsePair, readDotenv } from '../dotenv-file.ts'
import { readText } from '../files.ts'
import { findApp, findProject } from '../find-app.ts'
import { statusWords } from '../status-words.ts'
import { changeFields, newAppFields } from './app-fields.ts'
import { findServer } from './servers.ts'

const MOVE_LOOK_MS = 1000

const PROJECT = { project: { type: 'string', short: 'p', value: 'project', summary: 'the name or ID of the project' } } as const

const WATCH = {
  watch: {
    type: 'string',
    multiple: true,
    value: 'pattern',
    summary: 'only deploy pushes that change this path; can be repeated; none for all',
  },
} as const

function watchPathsFrom(values: Values): { watchPaths?: string[] } {
  const patterns = textsOf(values, 'watch')
  return patterns.length === 0 ? {} : { watchPaths: patterns.filter((pattern) => pattern !== 'none') }
}

const BUILD_ARGS = {
  'build-arg': {
    type: 'string',
    multiple: true,
    value: 'NAME=VALUE',
    summary: 'a build argument, readable in the image; can be repeated, and replaces all; none removes all',
  },
} as const

function buildArgsFrom(values: Values): { buildArgs?: Record<string, string> } {
  const given = textsOf(values, 'build-arg')
  if (given.length === 0) return {}
  const pairs = given.filter((text) => text !== 'none').map(parsePair)
  return { buildArgs: Object.fromEntries(pairs.map(({ key, value }) => [key, value])) }
}

const BUILD_SECRETS = {
  'build-secret': {
    type: 'string',
    multiple: true,
    value: 'NAME=@FILE',
    summary: 'a secret that only builds get, from a file or as NAME=VALUE; NAME=none removes it; can be repeated',
  },
} as const

/** From a file rather than an argument, because other users of this computer can read arguments. */
function buildSecretsFrom(values: Values): { buildSecrets?: Record<string, string | null> } {
  const given = textsOf(values, 'build-secret').map(parsePair)
  if (given.length === 0) return {}
  const valueOf = (text: string) => (text === 'none' ? null : text.startsWith('@') ? readText(text.slice(1)).replace(/\r?\n$/, '') : text)
  return { buildSecrets: Object.fromEntries(given.map(({ key, value }) => [key, valueOf(value)])) }
}

const list = command({
  usage: 'apps',
  summary: 'List the apps you can see',
  options: PROJECT,
  async run(ctx, _args, values) {
    const project = textOf(values, 'project')
    const found =
      project === undefined
        ? await ctx.api('apps.listAll')
        : await ctx.api('apps.list', { projectId: (await findProject(ctx.api, project)).id })
    ctx.out.table(
      ['ID', 'NAME', 'STATUS', 'TYPE', 'ADDRESS'],
      found.map((app) => [String(app.id), app.name, statusWords(app), app.app_type, app.url]),
    )
    ctx.out.json(found)
  },
})

function envVarsFrom(values: Values): { envVars?: Record<string, string> } {
  const file = textOf(values, 'env-file')
  const fromFile = file === undefined ? [] : readDotenv(file)
  const variables = [...fromFile, ...textsOf(values, 'env').map(parsePair)]
  return variables.length === 0 ? {} : { envVars: Object.fromEntries(variables.map(({ key, value }) => [key, value])) }
}

const create = command({
  usage: 'apps create <name>',
  summary: 'Create an app from a repository or a ready image, or a database from a template',
  options: {
    ...PROJECT,
    ...optionsFor(newAppFields),
    ...WATCH,
    ...BUILD_ARGS,
    ...BUILD_SECRETS,
    env: { type: 'string', multiple: true, value: 'KEY=VALUE', summary: 'an environment variable; can be repeated' },
    'env-file': { type: 'string', value: 'file', summary: 'environment variables from a .env file' },
  },
  async run(ctx, { name }, values) {
    const { id: projectId } = await findProject(ctx.api, requiredText(values, 'project'))
    const fields = inputFrom('apps.create', newAppFields, values)
    const isDatabase = fields.templateName !== undefined && fields.appType === undefined
    const app = await ctx.api('apps.create', {
      ...fields,
      ...(isDatabase && { appType: 'database' as const }),
      ...envVarsFrom(values),
      ...watchPathsFrom(values),
      ...buildArgsFrom(values),
      ...buildSecretsFrom(values),
      name,
      projectId,
    })
    ctx.out.line(`App ${app.name} created (id ${app.id}). Next: berth deploy ${app.slug === '' ? app.id : app.slug}`)
    ctx.out.json(app)
  },
})

const update = command({
  usage: 'apps update <app>',
  summary: 'Change an app; only the options you give change',
  options: { ...optionsFor(changeFields), ...WATCH, ...BUILD_ARGS, ...BUILD_SECRETS },
  async run(ctx, { app }, values) {
    const lists = { ...watchPathsFrom(values), ...buildArgsFrom(values), ...buildSecretsFrom(values) }
    const hasOthers = Object.keys(lists).length > 0
    const changes = hasOthers ? inputFrom('apps.update', changeFields, values) : changesFrom('apps.update', changeFields, values)
    const { id: appId } = await findApp(ctx.api, app)
    const answer = await ctx.api('apps.update', { ...changes, ...lists, appId })
    ctx.out.line(`App ${answer.name} updated. Changes to how it is built or run take effect with: berth deploy ${answer.slug}`)
    ctx.out.json(answer)
  },
})

const remove = command({
  usage: 'apps delete <app>',
  summary: 'Delete an app; asks first',
  options: { ...YES, volumes: { type: 'boolean', summary: 'delete its data volumes too' } },
  async run(ctx, { app }, values) {
    const { id: appId, name } = await findApp(ctx.api, app)
    await ctx.prompt.confirm(name, values['yes'] === true)
    const answer = await ctx.api('apps.delete', { appId, deleteVolumes: values['volumes'] === true })
    ctx.out.line(`App ${name} deleted.`)
    ctx.out.json(answer)
  },
})

/** All users whose ID the caller can look up: themselves, the members of the project and, for an admin, all users. */
async function idOfPerson(ctx: Context, app: ListedApplication, email: string): Promise<number> {
  const isMeant = (person: { email: string }) => person.email.toLowerCase() === email.toLowerCase()
  const [me, project] = await Promise.all([ctx.api('auth.me', {}), ctx.api('projects.get', { id: app.project_id })])
  const near = [me, ...project.members].find(isMeant)
  const found = near ?? (me.role === 'user' ? undefined : (await ctx.api('users.list')).find(isMeant))
  if (!found)
    throw new CannotDo('user_not_found', `Nobody with the email ${email} can see ${app.name}.`, `Try: berth members ${app.project_id}`)
  return found.id
}

const transfer = command({
  usage: 'apps transfer <app> <email>',
  summary: 'Transfer an app to another user',
  async run(ctx, { app, email }) {
    const found = await findApp(ctx.api, app)
    const answer = await ctx.api('apps.transfer', { appId: found.id, userId: await idOfPerson(ctx, found, email) })
    ctx.out.line(`${email} now owns ${answer.name}.`)
    ctx.out.json(answer)
  },
})

/** Only admins may list servers by name. */
async function serverIdOf(ctx: Context, server: string): Promise<string> {
  if (server === 'this') return server
  const me = await ctx.api('auth.me', {})
  return me.role === 'user' ? server : (await findServer(ctx.api, server)).id
}

const move = command({
  usage: 'apps move <app> <server>',
  summary:
    'Move an app with its data to another server, or to "this", the one that Berth runs on; the app is down meanwhile, so the command asks first',
  options: { ...YES, detach: { type: 'boolean', short: 'd', summary: 'do not wait for it to finish' } },
  async run(ctx, { app, server }, values) {
    const { id: appId, name } = await findApp(ctx.api, app)
    const to = await serverIdOf(ctx, server)
    await ctx.prompt.confirm(name, values['yes'] === true)
    let answer = await ctx.api('apps.move', { appId, server: to })
    if (values['detach'] !== true) ctx.out.note(`${name} is stopped, and its data is copied…`)
    while (values['detach'] !== true && answer.data_server?.moving_to !== undefined) {
      await sleep(MOVE_LOOK_MS)
      answer = await ctx.api('apps.get', { appId })
    }
    const { moving_to: moving, move_problem: problem = '' } = answer.data_server ?? {}
    ctx.out.line(moving ? `${name} is being moved. Look at it with: berth status ${app}` : problem || `${name} was moved.`)
    ctx.out.json(answer)
    return moving === undefined && problem !== '' ? 1 : 0
  },
})

const stopMove = command({
  usage: 'apps stop-move <app>',
  summary: 'Stop the move of an app while its data is copied; it starts again where it was',
  async run(ctx, { app }) {
    const { id: appId, name } = await findApp(ctx.api, app)
    const answer = await ctx.api('apps.stopMove', { appId })
    ctx.out.line(`The move of ${name} is stopped. The app starts again where it was.`)
    ctx.out.json(answer)
  },
})

export const apps = [list, create, update, remove, transfer, move, stopMove]

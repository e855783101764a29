import { diffVariables, type EnvVariable, formatDotenv } from '@berth/contract'
import { YES } from '../arguments.ts'
import { CannotDo, type Context, command } from '../command.ts'
import { parsePair, readDotenv } from '../dotenv-file.ts'
import { writeSecretFile } from '../files.ts'
import { findApp } from '../find-app.ts'

const NEXT_DEPLOYMENT = 'This takes effect with the next deployment.'

async function variablesOf(ctx: Context, nameOrId: string) {
  const app = await findApp(ctx.api, nameOrId)
  return { app, variables: await ctx.api('envs.list', { appId: app.id }) }
}

const list = command({
  usage: 'env list <app>',
  summary: 'List the environment variables of an app',
  async run(ctx, { app }) {
    const { variables } = await variablesOf(ctx, app)
    for (const { key, value } of variables) ctx.out.line(`${key}=${value}`)
    ctx.out.json(variables)
  },
})

const set = command({
  usage: 'env set <app> <KEY=VALUE...>',
  summary: 'Set environment variables',
  async run(ctx, { app: nameOrId, more }) {
    const wanted = more.map(parsePair)
    const { app, variables } = await variablesOf(ctx, nameOrId)
    const known = new Map(variables.map((variable) => [variable.key, variable.id]))
    const written: EnvVariable[] = []
    for (const { key, value } of wanted) {
      const id = known.get(key)
      written.push(
        id === undefined ? await ctx.api('envs.create', { appId: app.id, key, value }) : await ctx.api('envs.update', { id, value }),
      )
    }
    ctx.out.line(`${written.map(({ key }) => key).join(', ')} set. ${NEXT_DEPLOYMENT}`)
    ctx.out.json(written)
  },
})

const unset = command({
  usage: 'env unset <app> <KEY...>',
  summary: 'Remove environment variables; asks first',
  options: YES,
  async run(ctx, { app: nameOrId, more: keys }, values) {
    const { app, variables } = await variablesOf(ctx, nameOrId)
    const known = new Map(variables.map((variable) => [variable.key, variable.id]))
    const found = keys.map((key) => {
      const id = known.get(key)
      if (id === undefined)
        throw new CannotDo('env_variable_not_found', `${app.name} has no variable ${key}.`, `Try: berth env list ${app.id}`)
      return id
    })
    await ctx.prompt.confirm(keys.join(' '), values['yes'] === true)
    for (const id of found) await ctx.api('envs.delete', { id })
    ctx.out.line(`${keys.join(', ')} removed. ${NEXT_DEPLOYMENT}`)
    ctx.out.json(found.map((id) => ({ id })))
  },
})

const changes = command({
  usage: 'env changes <app>',
  summary: 'List the variables that changed since the live release',
  async run(ctx, { app }) {
    const { id: appId } = await findApp(ctx.api, app)
    const answer = await ctx.api('envs.changes', { appId })
    ctx.out.table(
      ['KEY', 'CHANGE'],
      answer.changes.map((change) => [change.key, change.is]),
    )
    ctx.out.json(answer)
  },
})

const pull = command({
  usage: 'env pull <app> [file]',
  summary: 'Write the environment variables of an app to a .env file (default .env), or to standard output with "-"',
  options: { force: { type: 'boolean', short: 'f', summary: 'replace the file if it exists' } },
  async run(ctx, { app, file = '.env' }, values) {
    const { variables } = await variablesOf(ctx, app)
    const text = formatDotenv(variables)
    if (file === '-') {
      if (!ctx.out.isJson) ctx.out.text(text)
    } else {
      writeSecretFile(file, text, values['force'] === true)
      ctx.out.line(`${variables.length} variables written to ${file}.`)
    }
    ctx.out.json(variables)
  },
})

const push = command({
  usage: 'env push <app> <file>',
  summary: 'Replace the environment variables of an app with those of a .env file; asks before it removes any',
  options: YES,
  async run(ctx, { app: nameOrId, file }, values) {
    const wanted = readDotenv(file)
    const { app, variables } = await variablesOf(ctx, nameOrId)
    const changed = diffVariables(variables, wanted).filter(({ is }) => is !== 'same')
    for (const { key, is } of changed) ctx.out.note(`${is}: ${key}`)
    const removed = changed.filter(({ is }) => is === 'removed')
    if (removed.length > 0) await ctx.prompt.confirm(app.name, values['yes'] === true)
    const answer = await ctx.api('envs.replace', { appId: app.id, variables: wanted })
    ctx.out.line(changed.length === 0 ? 'Nothing changed.' : `${changed.length} variables changed. ${NEXT_DEPLOYMENT}`)
    ctx.out.json(answer)
  },
})

export const env = [list, set, unset, changes, pull, push]

import type { Application, EnvVariable } from '@berth/contract'
import { CannotDo, type Command, type Context, required, type Values, WrongUsage } from '../command.ts'
import { findApp } from '../find-app.ts'

const NEXT_DEPLOYMENT = 'The app sees it after its next deployment.'

function parsePair(pair: string): { key: string; value: string } {
  const at = pair.indexOf('=')
  if (at < 1) throw new WrongUsage(`"${pair}" is not KEY=VALUE.`)
  return { key: pair.slice(0, at), value: pair.slice(at + 1) }
}

async function list(ctx: Context, app: Application): Promise<void> {
  const variables = await ctx.api('envs.list', { appId: app.id })
  for (const { key, value } of variables) ctx.out.line(`${key}=${value}`)
  ctx.out.json(variables)
}

async function set(ctx: Context, app: Application, pairs: readonly string[]): Promise<void> {
  if (pairs.length === 0) throw new WrongUsage('<KEY=VALUE> is missing.')
  const wanted = pairs.map(parsePair)
  const known = new Map((await ctx.api('envs.list', { appId: app.id })).map((variable) => [variable.key, variable.id]))
  const written: EnvVariable[] = []
  for (const { key, value } of wanted) {
    const id = known.get(key)
    written.push(
      id === undefined ? await ctx.api('envs.create', { appId: app.id, key, value }) : await ctx.api('envs.update', { id, value }),
    )
  }
  ctx.out.line(`${written.map(({ key }) => key).join(', ')} set. ${NEXT_DEPLOYMENT}`)
  ctx.out.json(written)
}

async function unset(ctx: Context, app: Application, keys: readonly string[], values: Values): Promise<void> {
  if (keys.length === 0) throw new WrongUsage('<KEY> is missing.')
  const known = new Map((await ctx.api('envs.list', { appId: app.id })).map((variable) => [variable.key, variable.id]))
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
}

export const env: Command = {
  usage: 'env list|set|unset <app> [KEY=VALUE | KEY …]',
  summary: 'The environment variables of an app',
  options: { yes: { type: 'boolean', short: 'y', summary: 'remove without asking' } },
  async run(ctx, [action, words, ...rest], values) {
    if (action !== 'list' && action !== 'set' && action !== 'unset') throw new WrongUsage('Say env list, env set or env unset.')
    const app = await findApp(ctx.api, required(words, 'app'))
    if (action === 'list') await list(ctx, app)
    else if (action === 'set') await set(ctx, app, rest)
    else await unset(ctx, app, rest, values)
    return 0
  },
}

import { textOf, YES } from '../arguments.ts'
import { command } from '../command.ts'
import { readBytes } from '../files.ts'
import { findApp } from '../find-app.ts'

const NEXT_DEPLOYMENT = 'This takes effect with the next deployment.'

const list = command({
  usage: 'files list <app>',
  summary: 'List the files that Berth puts into the containers of an app',
  async run(ctx, { app }) {
    const { id: appId } = await findApp(ctx.api, app)
    const found = await ctx.api('files.list', { appId })
    ctx.out.table(
      ['PATH', 'MODE', 'BYTES', 'CHANGED'],
      found.map(({ path, mode, bytes, updatedAt }) => [path, mode, String(bytes), updatedAt]),
    )
    ctx.out.json(found)
  },
})

const show = command({
  usage: 'files show <app> <path>',
  summary: 'Print a file of an app',
  async run(ctx, { app, path }) {
    const { id: appId } = await findApp(ctx.api, app)
    const file = await ctx.api('files.read', { appId, path })
    if (!ctx.out.isJson) ctx.out.text(file.content)
    if (file.encoding === 'base64') ctx.out.note('This file is not text, so it is shown as base64.')
    ctx.out.json(file)
  },
})

const set = command({
  usage: 'files set <app> <path> <file>',
  summary: 'Put a file of this machine into the containers of an app, at a path',
  options: { mode: { type: 'string', value: 'mode', summary: 'four octal digits; 0444 for a new file' } },
  async run(ctx, { app, path, file }, values) {
    const content = readBytes(file).toString('base64')
    const { id: appId, name } = await findApp(ctx.api, app)
    const mode = textOf(values, 'mode')
    const answer = await ctx.api('files.save', { appId, path, content, encoding: 'base64', ...(mode !== undefined && { mode }) })
    ctx.out.line(`${name} has the file ${path}, ${answer.bytes} bytes. ${NEXT_DEPLOYMENT}`)
    ctx.out.json(answer)
  },
})

const remove = command({
  usage: 'files remove <app> <path>',
  summary: 'Remove a file from an app; asks first',
  options: YES,
  async run(ctx, { app, path }, values) {
    const { id: appId, name } = await findApp(ctx.api, app)
    await ctx.prompt.confirm(path, values['yes'] === true)
    const answer = await ctx.api('files.delete', { appId, path })
    ctx.out.line(`${name} no longer has the file ${path}. ${NEXT_DEPLOYMENT}`)
    ctx.out.json(answer)
  },
})

export const appFiles = [list, show, set, remove]

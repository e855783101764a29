import { command } from '../command.ts'
import { findApp } from '../find-app.ts'

const templates = command({
  usage: 'templates',
  summary: 'List the database templates; create one with: berth apps create <name> --template <template>',
  async run(ctx) {
    const list = await ctx.api('templates.list')
    ctx.out.table(
      ['NAME', 'TITLE', 'VERSION', 'PORT', 'DESCRIPTION'],
      list.map((template) => [template.name, template.title, template.version, String(template.port), template.description]),
    )
    ctx.out.json(list)
  },
})

const connection = command({
  usage: 'connection <database>',
  summary: 'Print the URL other apps in the project use to reach a database',
  async run(ctx, { database }) {
    const { id: appId } = await findApp(ctx.api, database)
    const answer = await ctx.api('apps.connection', { appId })
    ctx.out.line(answer.url)
    ctx.out.json(answer)
  },
})

export const databases = [templates, connection]

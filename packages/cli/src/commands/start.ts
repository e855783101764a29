import { type Command, required } from '../command.ts'
import { findApp } from '../find-app.ts'

export const start: Command = {
  usage: 'start <app>',
  summary: 'Start an app that was stopped',
  options: {},
  async run(ctx, [words]) {
    const app = await findApp(ctx.api, required(words, 'app'))
    const answer = await ctx.api('containers.start', { appId: app.id })
    ctx.out.line(`${app.name} is started.`)
    ctx.out.json(answer)
    return 0
  },
}

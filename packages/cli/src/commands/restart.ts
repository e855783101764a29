import { type Command, required } from '../command.ts'
import { findApp } from '../find-app.ts'

export const restart: Command = {
  usage: 'restart <app>',
  summary: 'Stop an app and start it again',
  options: {},
  async run(ctx, [words]) {
    const app = await findApp(ctx.api, required(words, 'app'))
    const answer = await ctx.api('containers.restart', { appId: app.id })
    ctx.out.line(`${app.name} is restarted.`)
    ctx.out.json(answer)
    return 0
  },
}

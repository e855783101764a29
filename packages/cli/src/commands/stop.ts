import { type Command, required } from '../command.ts'
import { findApp } from '../find-app.ts'

export const stop: Command = {
  usage: 'stop <app>',
  summary: 'Stop an app; what it keeps stays',
  options: {},
  async run(ctx, [words]) {
    const app = await findApp(ctx.api, required(words, 'app'))
    const answer = await ctx.api('containers.stop', { appId: app.id })
    ctx.out.line(`${app.name} is stopped.`)
    ctx.out.json(answer)
    return 0
  },
}

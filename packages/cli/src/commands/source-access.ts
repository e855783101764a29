import { YES } from '../arguments.ts'
import { command } from '../command.ts'
import { findApp } from '../find-app.ts'

const rotate = command({
  usage: 'apps hook rotate <app>',
  summary: 'Give an app a deploy hook, or a new secret to the one it has, and print it; it is shown once',
  async run(ctx, { app }) {
    const hook = await ctx.api('apps.rotateHook', { appId: (await findApp(ctx.api, app)).id })
    ctx.out.line(`Address: ${hook.url}`)
    ctx.out.line(`Secret:  ${hook.secret}`)
    ctx.out.line(`Deploy with: curl -X POST -H "Authorization: Bearer <secret>" ${hook.url}`)
    ctx.out.json(hook)
  },
})

const remove = command({
  usage: 'apps hook delete <app>',
  summary: 'Take the deploy hook of an app away; asks first',
  options: YES,
  async run(ctx, { app: words }, values) {
    const app = await findApp(ctx.api, words)
    await ctx.prompt.confirm(app.name, values['yes'] === true)
    const answer = await ctx.api('apps.deleteHook', { appId: app.id })
    ctx.out.line(`App ${app.name} has no deploy hook any more.`)
    ctx.out.json(answer)
  },
})

export const sourceAccess = [rotate, remove]

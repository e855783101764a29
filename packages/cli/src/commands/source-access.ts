import { YES } from '../arguments.ts'
import { command } from '../command.ts'
import { findApp } from '../find-app.ts'

const rotate = command({
  usage: 'apps hook rotate <app>',
  summary: 'Create a deploy hook for an app, or a new secret for it, and print it; it is shown once',
  async run(ctx, { app }) {
    const made = await ctx.api('apps.rotateHook', { appId: (await findApp(ctx.api, app)).id })
    const hook = { ...made, url: new URL(made.url, ctx.settings.url).href } // a server that knows no address of its own gives a path
    ctx.out.line(`Address: ${hook.url}`)
    ctx.out.line(`Secret:  ${hook.secret}`)
    ctx.out.line(`Deploy with: curl -X POST -H "Authorization: Bearer <secret>" ${hook.url}`)
    ctx.out.json(hook)
  },
})

const remove = command({
  usage: 'apps hook delete <app>',
  summary: 'Remove the deploy hook of an app; asks first',
  options: YES,
  async run(ctx, { app: nameOrId }, values) {
    const app = await findApp(ctx.api, nameOrId)
    await ctx.prompt.confirm(app.name, values['yes'] === true)
    const answer = await ctx.api('apps.deleteHook', { appId: app.id })
    ctx.out.line(`Deploy hook of ${app.name} removed.`)
    ctx.out.json(answer)
  },
})

const createKey = command({
  usage: 'apps deploy-key create <app>',
  summary: 'Create a key for cloning over ssh and print its public key, to be added at the git host',
  async run(ctx, { app }) {
    const key = await ctx.api('apps.createDeployKey', { appId: (await findApp(ctx.api, app)).id })
    ctx.out.line(key.publicKey)
    ctx.out.line(`Fingerprint: ${key.fingerprint}`)
    ctx.out.json(key)
  },
})

const deleteKey = command({
  usage: 'apps deploy-key delete <app>',
  summary: 'Remove the deploy key of an app; asks first',
  options: YES,
  async run(ctx, { app: nameOrId }, values) {
    const app = await findApp(ctx.api, nameOrId)
    await ctx.prompt.confirm(app.name, values['yes'] === true)
    const answer = await ctx.api('apps.deleteDeployKey', { appId: app.id })
    ctx.out.line(`Deploy key of ${app.name} removed. Remove it at the git host too.`)
    ctx.out.json(answer)
  },
})

const forgetHost = command({
  usage: 'apps deploy-key forget-host <app>',
  summary: 'Forget the pinned SSH key of the git host, after the host has changed its key; asks first',
  options: YES,
  async run(ctx, { app: nameOrId }, values) {
    const app = await findApp(ctx.api, nameOrId)
    if (app.host_key !== '') ctx.out.line(`Pinned: ${app.host_key}`)
    await ctx.prompt.confirm(app.name, values['yes'] === true)
    const answer = await ctx.api('apps.forgetHostKey', { appId: app.id })
    ctx.out.line('The next deployment pins the key the host has then.')
    ctx.out.json(answer)
  },
})

export const sourceAccess = [rotate, remove, createKey, deleteKey, forgetHost]

import { type Command, required } from '../command.ts'
import { findApp } from '../find-app.ts'
import { followDeployment } from '../follow-deployment.ts'

export const deploy: Command = {
  usage: 'deploy <app>',
  summary: 'Deploy the newest commit of an app, and follow it to the end',
  options: { detach: { type: 'boolean', short: 'd', summary: 'do not wait for the end' } },
  async run(ctx, [words], values) {
    const app = await findApp(ctx.api, required(words, 'app'))
    const deployment = await ctx.api('deployments.create', { appId: app.id })
    if (values['detach'] !== true) return await followDeployment(ctx, deployment.id)
    ctx.out.line(`Deployment ${deployment.deployment_number} of ${app.name} waits. See it with: berth logs --deployment ${deployment.id}`)
    ctx.out.json(deployment)
    return 0
  },
}

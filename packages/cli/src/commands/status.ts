import { type Command, required } from '../command.ts'
import { findApp } from '../find-app.ts'

export const status: Command = {
  usage: 'status <app>',
  summary: 'How an app is doing',
  options: {},
  async run(ctx, [words]) {
    const app = await findApp(ctx.api, required(words, 'app'))
    const deployments = await ctx.api('deployments.list', { appId: app.id })
    const live = deployments.find((deployment) => deployment.is_active)
    ctx.out.table(
      ['APP', 'STATUS', 'LIVE', 'DOMAINS', 'REASON'],
      [[app.name, app.status, live ? `number ${live.deployment_number}` : 'none', app.domains.join(' ') || 'none', app.status_reason]],
    )
    ctx.out.json(app)
    return 0
  },
}

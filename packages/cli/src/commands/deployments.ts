import { type Command, required } from '../command.ts'
import { findApp } from '../find-app.ts'

export const deployments: Command = {
  usage: 'deployments <app>',
  summary: 'The deployments of an app, newest first',
  options: {},
  async run(ctx, [words]) {
    const app = await findApp(ctx.api, required(words, 'app'))
    const list = await ctx.api('deployments.list', { appId: app.id })
    const rows = list.map((deployment) => [
      String(deployment.deployment_number),
      String(deployment.id),
      deployment.is_active ? `${deployment.status} (live)` : deployment.status,
      deployment.commit_hash.slice(0, 8),
      deployment.created_at,
      (deployment.error_message || deployment.commit_message).split('\n')[0] ?? '',
    ])
    ctx.out.table(['NUMBER', 'ID', 'STATUS', 'COMMIT', 'CREATED', 'MESSAGE'], rows)
    ctx.out.json(list)
    return 0
  },
}

import { CannotDo, type Command, required, wholeNumberOf } from '../command.ts'
import { findApp } from '../find-app.ts'
import { followDeployment } from '../follow-deployment.ts'

export const rollback: Command = {
  usage: 'rollback <app>',
  summary: 'Make the release before the live one live again, and follow it to the end',
  options: {
    to: { type: 'string', value: 'number', summary: 'the number of the deployment to go back to' },
    detach: { type: 'boolean', short: 'd', summary: 'do not wait for the end' },
  },
  async run(ctx, [words], values) {
    const app = await findApp(ctx.api, required(words, 'app'))
    const number = wholeNumberOf(values, 'to')
    const list = await ctx.api('deployments.list', { appId: app.id })
    const target = list.find((deployment) => (number === undefined ? deployment.can_roll_back : deployment.deployment_number === number))
    if (!target) {
      const message = number === undefined ? 'There is no earlier release to go back to.' : `There is no deployment number ${number}.`
      throw new CannotDo('no_release', message, `Try: berth deployments ${app.id}`)
    }
    const deployment = await ctx.api('deployments.rollback', { deploymentId: target.id })
    if (values['detach'] !== true) return await followDeployment(ctx, deployment.id)
    ctx.out.line(`Deployment ${deployment.deployment_number} brings back number ${target.deployment_number}.`)
    ctx.out.json(deployment)
    return 0
  },
}

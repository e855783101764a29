import type { DeploymentFrame, DeploymentStatus } from '@berth/contract'
import type { Context, ExitCode } from './command.ts'

const EXITS = {
  pending: 1,
  building: 1,
  deploying: 1,
  success: 0,
  failed: 1,
  stopped: 1,
  rolled_back: 0,
} as const satisfies Record<DeploymentStatus, ExitCode>

/** Prints what a deployment does until it has ended; the exit code says how it ended. */
export async function followDeployment(ctx: Context, deploymentId: number): Promise<ExitCode> {
  let shown = ''
  const show = (frame: DeploymentFrame): void => {
    if (ctx.out.isJson) return
    if (frame.type === 'log') ctx.out.line(frame.data.line)
    else if (frame.type === 'gap') ctx.out.note(`(${frame.data.lines} lines came too fast to be shown)`)
    else if (frame.type === 'status') {
      const step = `-- ${frame.data.message}${frame.data.stage === '' ? '' : ` (${frame.data.stage})`}`
      if (step !== shown) ctx.out.note(step)
      shown = step
    }
  }
  try {
    await ctx.follow('deployment.streamById', { deploymentId }, show)
  } catch (cause) {
    ctx.out.note(`The deployment goes on. See it with: berth logs --deployment ${deploymentId}`)
    throw cause
  }
  const deployment = await ctx.api('deployments.get', { id: deploymentId })
  ctx.out.json(deployment)
  const reason = deployment.error_message === '' ? '' : `: ${deployment.error_message}`
  ctx.out.line(`Deployment ${deployment.deployment_number}: ${deployment.status}${reason}`)
  return EXITS[deployment.status]
}

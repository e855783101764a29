import type { Deployment, DeploymentFrame, DeploymentStatus } from '@berth/contract'
import type { Context, ExitCode } from './command.ts'

const ENDS = {
  pending: { exit: 1, words: 'is queued' },
  building: { exit: 1, words: 'is building' },
  deploying: { exit: 1, words: 'is starting' },
  success: { exit: 0, words: 'succeeded' },
  failed: { exit: 1, words: 'failed' },
  stopped: { exit: 1, words: 'was cancelled' },
  rolled_back: { exit: 0, words: 'succeeded, and was rolled back since' },
} as const satisfies Record<DeploymentStatus, { exit: ExitCode; words: string }>

async function sayEnd(ctx: Context, deployment: Deployment): Promise<void> {
  const reason = deployment.error_message === '' ? '.' : `: ${deployment.error_message}`
  ctx.out.line(`Deployment ${deployment.deployment_number} ${ENDS[deployment.status].words}${reason}`)
  if (deployment.status !== 'success' || ctx.out.isJson) return
  const { url } = await ctx.api('apps.get', { appId: deployment.app_id })
  if (url !== '') ctx.out.line(url)
}

/** Prints the progress of a deployment until it has ended; the exit code says how. */
export async function followDeployment(ctx: Context, deploymentId: number): Promise<ExitCode> {
  let shown = ''
  const show = (frame: DeploymentFrame): void => {
    if (ctx.out.isJson) return
    if (frame.type === 'log') ctx.out.line(frame.data.line)
    else if (frame.type === 'gap') ctx.out.note(`(${frame.data.lines} lines skipped)`)
    else if (frame.type === 'status') {
      const step = `-- ${frame.data.message}${frame.data.stage === '' ? '' : ` (${frame.data.stage})`}`
      if (step !== shown) ctx.out.note(step)
      shown = step
    }
  }
  try {
    await ctx.follow('deployment.streamById', { deploymentId }, show)
  } catch (cause) {
    ctx.out.note(`The deployment is still running. Follow it with: berth logs --deployment ${deploymentId} --follow`)
    throw cause
  }
  const deployment = await ctx.api('deployments.get', { id: deploymentId })
  ctx.out.json(deployment)
  await sayEnd(ctx, deployment)
  return ENDS[deployment.status].exit
}

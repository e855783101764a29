import { textOf, wholeNumberOf } from '../arguments.ts'
import { CannotDo, type Context, command, type ExitCode, WrongUsage } from '../command.ts'
import { findApp } from '../find-app.ts'
import { followDeployment } from '../follow-deployment.ts'
import { sinceOf } from '../since.ts'

const DEFAULT_TAIL = 200
const MOST_LINES = 10_000

function print(ctx: Context, logs: string): void {
  for (const line of logs.split('\n')) if (line !== '') ctx.out.line(line)
}

async function showBuild(ctx: Context, deploymentId: number, isFollowed: boolean): Promise<ExitCode> {
  if (isFollowed) return await followDeployment(ctx, deploymentId)
  const logs = await ctx.api('deployments.log', { deploymentId })
  print(ctx, logs)
  ctx.out.json({ logs })
  return 0
}

type Wanted = { tail: number; since?: string }

async function followContainer(ctx: Context, app: { id: number; name: string }, wanted: Wanted): Promise<void> {
  const { id: containerId } = await ctx.api('containers.status', { appId: app.id })
  if (containerId === '') throw new CannotDo('no_container', `${app.name} has not been deployed yet.`, `Try: berth deploy ${app.id}`)
  await ctx.follow('container.logs', { containerId, ...wanted }, (frame) => {
    if (frame.type === 'log') ctx.out.line(frame.data.line)
    else if (frame.type === 'end') ctx.out.note(frame.data.message)
    else if (frame.type === 'gap') ctx.out.note(`(${frame.data.lines} lines left out)`)
  })
}

export const logs = command({
  usage: 'logs [app]',
  summary: 'Show what an app printed; with --deployment, the build log of a deployment',
  options: {
    tail: { type: 'string', short: 'n', value: 'number', summary: `how many lines (default ${DEFAULT_TAIL}; with --since, ${MOST_LINES})` },
    since: { type: 'string', value: 'when', summary: 'only lines since then: 10m, 2h, 1d, or a time' },
    follow: { type: 'boolean', short: 'f', summary: 'keep printing new lines' },
    deployment: { type: 'string', value: 'id', summary: 'the build log of this deployment; no app is needed' },
  },
  async run(ctx, { app }, values) {
    const deploymentId = wholeNumberOf(values, 'deployment')
    if (deploymentId !== undefined) return await showBuild(ctx, deploymentId, values['follow'] === true)
    if (app === undefined) throw new WrongUsage('<app> is missing.')
    const found = await findApp(ctx.api, app)
    const since = textOf(values, 'since')
    const tail = wholeNumberOf(values, 'tail') ?? (since === undefined ? DEFAULT_TAIL : MOST_LINES)
    const wanted = { tail, ...(since !== undefined && { since: sinceOf(since, ctx.now()) }) }
    if (values['follow'] === true) {
      await followContainer(ctx, found, wanted)
      return 0
    }
    const answer = await ctx.api('containers.logs', { appId: found.id, ...wanted })
    print(ctx, answer.logs)
    ctx.out.json(answer)
    return 0
  },
})

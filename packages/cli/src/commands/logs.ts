import { type Command, type Context, required, wholeNumberOf } from '../command.ts'
import { findApp } from '../find-app.ts'

async function showBuild(ctx: Context, deploymentId: number): Promise<void> {
  const log = await ctx.api('deployments.log', { deploymentId })
  for (const line of log.split('\n')) if (line !== '') ctx.out.line(line)
  ctx.out.json({ logs: log })
}

async function followContainer(ctx: Context, appId: number, tail: number): Promise<void> {
  const { id } = await ctx.api('containers.status', { appId })
  await ctx.follow('container.logs', { containerId: id, tail }, (frame) => {
    if (frame.type === 'log') ctx.out.line(frame.data.line)
    else if (frame.type === 'end') ctx.out.note(frame.data.message)
    else if (frame.type === 'gap') ctx.out.note(`(${frame.data.lines} lines came too fast to be shown)`)
  })
}

export const logs: Command = {
  usage: 'logs [app]',
  summary: 'What an app has printed; with --deployment, what its build has',
  options: {
    tail: { type: 'string', short: 'n', value: 'number', summary: 'how many lines (200)' },
    follow: { type: 'boolean', short: 'f', summary: 'go on with what comes' },
    deployment: { type: 'string', value: 'id', summary: 'the log of this build; no app is needed' },
  },
  async run(ctx, [words], values) {
    const deploymentId = wholeNumberOf(values, 'deployment')
    if (deploymentId !== undefined) {
      await showBuild(ctx, deploymentId)
      return 0
    }
    const app = await findApp(ctx.api, required(words, 'app'))
    const tail = wholeNumberOf(values, 'tail') ?? 200
    if (values['follow'] === true) {
      await followContainer(ctx, app.id, tail)
      return 0
    }
    const answer = await ctx.api('containers.logs', { appId: app.id, tail })
    for (const line of answer.logs.split('\n')) if (line !== '') ctx.out.line(line)
    ctx.out.json(answer)
    return 0
  },
}

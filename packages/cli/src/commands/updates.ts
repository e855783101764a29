import type { UpdateStatus } from '@berth/contract'
import { YES } from '../arguments.ts'
import { type Context, command } from '../command.ts'
import { VERSION } from '../version.ts'

const version = command({
  usage: 'version',
  summary: 'Show the version of this program and of the server',
  async run(ctx) {
    const answer = await ctx.api('updates.version')
    ctx.out.line(`berth ${VERSION}, server ${answer.version} (${answer.commit.slice(0, 8)}), running since ${answer.startedAt}`)
    ctx.out.json(answer)
  },
})

const check = command({
  usage: 'updates check',
  summary: 'Check whether there is a newer version of Berth',
  async run(ctx) {
    const answer = await ctx.api('updates.check')
    ctx.out.line(
      answer.available ? `Version ${answer.latest} is available (running ${answer.current}).` : `${answer.current} is the newest.`,
    )
    if (answer.message !== '') ctx.out.line(answer.message)
    if (answer.notes !== '') for (const line of answer.notes.split('\n')) ctx.out.line(line)
    ctx.out.json(answer)
  },
})

function show(ctx: Context, update: UpdateStatus): void {
  ctx.out.table(['STATE', 'FROM', 'TO', 'PHASE', 'ERROR'], [[update.state, update.from, update.to, update.phase, update.error]])
  for (const line of update.log) ctx.out.line(line)
  ctx.out.json(update)
}

const status = command({
  usage: 'updates status',
  summary: 'Show how an update is going',
  async run(ctx) {
    show(ctx, await ctx.api('updates.status'))
  },
})

const apply = command({
  usage: 'updates apply',
  summary: 'Update the server to the newest version; asks first',
  options: YES,
  async run(ctx, _args, values) {
    await ctx.prompt.confirm('update', values['yes'] === true)
    show(ctx, await ctx.api('updates.apply'))
  },
})

const clear = command({
  usage: 'updates clear',
  summary: 'End an update that is stuck',
  async run(ctx) {
    const answer = await ctx.api('updates.clear')
    ctx.out.line(answer.cleared ? 'The update was ended.' : 'No update is running.')
    ctx.out.json(answer)
  },
})

const history = command({
  usage: 'updates history',
  summary: 'Show earlier updates and how they ended',
  async run(ctx) {
    const answer = await ctx.api('updates.history')
    const rows = answer.map(({ startedAt, from, to, state, error }) => [startedAt, from, to, state, error])
    ctx.out.table(['STARTED', 'FROM', 'TO', 'STATE', 'ERROR'], rows)
    ctx.out.json(answer)
  },
})

export const updates = [version, check, status, apply, clear, history]

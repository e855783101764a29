import type { Command } from '../command.ts'

export const health: Command = {
  usage: 'health',
  summary: 'Whether the parts of the server work; fails when one does not',
  options: {},
  async run(ctx) {
    const answer = await ctx.api('health')
    const rows = Object.entries(answer.checks).map(([part, state]) => [part, state, answer.messages[part] ?? ''])
    ctx.out.line(`Berth ${answer.version} at ${ctx.settings.url ?? ''} is ${answer.status}.`)
    ctx.out.table(['PART', 'STATE', 'MESSAGE'], rows)
    ctx.out.json(answer)
    return answer.status === 'ok' ? 0 : 1
  },
}

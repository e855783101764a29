import type { Command } from '../command.ts'

export const whoami: Command = {
  usage: 'whoami',
  summary: 'Who is logged in, and where',
  options: {},
  async run(ctx) {
    const user = await ctx.api('auth.me')
    ctx.out.line(`${user.email} (${user.role}) at ${ctx.settings.url ?? ''}`)
    ctx.out.json(user)
    return 0
  },
}

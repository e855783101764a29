import { ApiError } from '@berth/contract'
import type { Command } from '../command.ts'

export const logout: Command = {
  usage: 'logout',
  summary: 'End the session and forget the server',
  options: {},
  async run(ctx) {
    try {
      if (ctx.settings.token !== undefined) await ctx.api('auth.logout')
    } catch (cause) {
      if (!(cause instanceof ApiError && cause.code === 'not_signed_in')) throw cause // it has ended already
    }
    ctx.settings.forget()
    ctx.out.line('Logged out.')
    ctx.out.json({})
    return 0
  },
}

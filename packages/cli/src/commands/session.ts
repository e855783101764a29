import { ApiError } from '@berth/contract'
import { textOf } from '../arguments.ts'
import { CannotDo, type Context, command, WrongUsage } from '../command.ts'
import { serverAddress } from '../settings.ts'

const EMAIL = { email: { type: 'string', value: 'address', summary: 'your email address' } } as const

async function signIn(ctx: Context, url: string, given: { email: string | undefined; setupToken?: string }): Promise<void> {
  const email = given.email ?? (await ctx.prompt.line('Email: ', '--email'))
  const password = await ctx.prompt.secret('Password: ')
  if (password === '') throw new CannotDo('no_password', 'No password was given.', 'Type it when asked, or pipe it in.')
  const session = await ctx.signIn(url, { email, password, ...(given.setupToken !== undefined && { setupToken: given.setupToken }) })
  ctx.settings.save({ url, token: session.token })
  ctx.out.line(`Logged in to ${url} as ${session.email}.`)
  ctx.out.json({ url, email: session.email })
}

export const setup = command({
  usage: 'setup <link>',
  summary: 'Create the first account of a new server, with the link it printed at startup',
  options: EMAIL,
  async run(ctx, { link }, values) {
    const [url, setupToken] = [serverAddress(link), /#token=([^&]+)/.exec(link)?.[1]]
    if (url === undefined || setupToken === undefined)
      throw new WrongUsage('<link> must be the setup link that the server printed: https://…/setup#token=…')
    await signIn(ctx, url, { email: textOf(values, 'email'), setupToken })
  },
})

export const login = command({
  usage: 'login [address]',
  summary: 'Log in to a server; asks for the password, or reads it from standard input',
  options: EMAIL,
  async run(ctx, { address }, values) {
    const given = address ?? ctx.settings.url
    if (given === undefined) throw new WrongUsage('<address> is missing. Example: berth login https://berth.example.com')
    const url = serverAddress(given)
    if (url === undefined) throw new WrongUsage(`"${given}" is not the address of a server.`)
    await signIn(ctx, url, { email: textOf(values, 'email') })
  },
})

export const logout = command({
  usage: 'logout',
  summary: 'Log out and forget the server',
  async run(ctx) {
    try {
      if (ctx.settings.token !== undefined) await ctx.api('auth.logout')
    } catch (cause) {
      if (!(cause instanceof ApiError && cause.code === 'not_signed_in')) throw cause // otherwise the session has already ended
    }
    ctx.settings.forget()
    ctx.out.line('Logged out.')
    ctx.out.json({})
  },
})

export const whoami = command({
  usage: 'whoami',
  summary: 'Show who is logged in, and where',
  async run(ctx) {
    const user = await ctx.api('auth.me', {})
    ctx.out.line(`${user.email} (${user.role}) at ${ctx.settings.url ?? ''}`)
    ctx.out.json(user)
  },
})

export const sessions = command({
  usage: 'sessions',
  summary: 'List your sessions, newest first',
  async run(ctx) {
    const all = await ctx.api('auth.sessions')
    ctx.out.table(
      ['ID', 'SINCE', 'FROM', 'PROGRAM', ''],
      all.map((each) => [each.id, each.createdAt, each.address, each.client, each.isCurrent ? 'this one' : '']),
    )
    ctx.out.json(all)
  },
})

export const endSession = command({
  usage: 'sessions end [id]',
  summary: 'End one of your sessions, or all others with --others',
  options: { others: { type: 'boolean', summary: 'all sessions except this one' } },
  async run(ctx, { id }, values) {
    const others = values['others'] === true
    if ((id === undefined) !== others) throw new WrongUsage('Give either the <id> of a session or --others.')
    const answer = id === undefined ? await ctx.api('auth.endOtherSessions') : await ctx.api('auth.endSession', { id })
    ctx.out.line(`${answer.ended} ${answer.ended === 1 ? 'session' : 'sessions'} ended.`)
    ctx.out.json(answer)
  },
})

export const password = command({
  usage: 'password',
  summary: 'Change your password; asks for the current one and the new one, or reads two lines',
  async run(ctx) {
    const currentPassword = await ctx.prompt.secret('Current password: ')
    const newPassword = await ctx.prompt.secret('New password: ')
    const answer = await ctx.api('auth.password', { currentPassword, newPassword })
    ctx.out.line('Password changed. Your other sessions have ended.')
    ctx.out.json(answer)
  },
})

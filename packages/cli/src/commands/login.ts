import { CannotDo, type Command, textOf, WrongUsage } from '../command.ts'
import { serverAddress } from '../settings.ts'

export const login: Command = {
  usage: 'login [address]',
  summary: 'Log in and remember the server; the password is asked for, or read from standard input',
  options: { email: { type: 'string', value: 'address', summary: 'the e-mail to log in with' } },
  async run(ctx, [address], values) {
    const given = address ?? ctx.settings.url
    if (given === undefined) throw new WrongUsage('<address> is missing: berth login https://berth.example.com')
    const url = serverAddress(given)
    if (url === undefined) throw new WrongUsage(`"${given}" is no address of a server.`)
    const email = textOf(values, 'email') ?? (await ctx.prompt.line('E-mail: ', '--email'))
    const password = await ctx.prompt.secret('Password: ')
    if (password === '') throw new CannotDo('no_password', 'No password was given.', 'Type it when asked, or pipe it in.')
    const session = await ctx.signIn(url, { email, password })
    ctx.settings.save({ url, token: session.token })
    ctx.out.line(`Logged in at ${url} as ${session.email}.`)
    ctx.out.json({ url, email: session.email })
    return 0
  },
}

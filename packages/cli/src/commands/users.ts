import type { User } from '@berth/contract'
import { YES } from '../arguments.ts'
import { CannotDo, type Context, command, WrongUsage } from '../command.ts'
import { inputFrom, optionsFor } from '../contract-input.ts'

const ROLE = { role: { field: 'role', value: 'role', summary: 'user, admin or owner' } } as const
const CHANGE = { email: { field: 'email', value: 'address', summary: 'a new email address' }, ...ROLE } as const

async function findUser(ctx: Context, email: string): Promise<User> {
  const found = (await ctx.api('users.list')).find((user) => user.email.toLowerCase() === email.toLowerCase())
  if (!found) throw new CannotDo('user_not_found', `There is no user ${email}.`, 'Try: berth users')
  return found
}

const list = command({
  usage: 'users',
  summary: 'List all users',
  async run(ctx) {
    const found = await ctx.api('users.list')
    ctx.out.table(
      ['ID', 'EMAIL', 'ROLE', 'CREATED'],
      found.map((user) => [String(user.id), user.email, user.role, user.createdAt]),
    )
    ctx.out.json(found)
  },
})

const create = command({
  usage: 'users create <email>',
  summary: 'Add a user; asks for their password, or reads it from standard input',
  options: optionsFor(ROLE),
  async run(ctx, { email }, values) {
    const password = await ctx.prompt.secret('Password: ')
    const user = await ctx.api('users.create', { ...inputFrom('users.create', ROLE, values), email, password })
    ctx.out.line(`User ${user.email} created (id ${user.id}).`)
    ctx.out.json(user)
  },
})

const update = command({
  usage: 'users update <email>',
  summary: "Change a user; a new role or password ends the user's sessions",
  options: { ...optionsFor(CHANGE), password: { type: 'boolean', summary: 'set a new password; asks for it' } },
  async run(ctx, { email }, values) {
    const changes = inputFrom('users.update', CHANGE, values)
    const isNewPassword = values['password'] === true
    if (Object.keys(changes).length === 0 && !isNewPassword)
      throw new WrongUsage('Nothing to change. Give at least one of --email, --role, --password.')
    const { id } = await findUser(ctx, email)
    const user = await ctx.api('users.update', {
      ...changes,
      ...(isNewPassword && { password: await ctx.prompt.secret('New password: ') }),
      id,
    })
    ctx.out.line(`User ${user.email} updated.`)
    ctx.out.json(user)
  },
})

const remove = command({
  usage: 'users delete <email>',
  summary: 'Delete a user; what they own becomes yours; asks first',
  options: YES,
  async run(ctx, { email }, values) {
    const user = await findUser(ctx, email)
    await ctx.prompt.confirm(user.email, values['yes'] === true)
    const answer = await ctx.api('users.delete', { id: user.id })
    ctx.out.line(`User ${user.email} deleted.`)
    ctx.out.json(answer)
  },
})

const invite = command({
  usage: 'users invite <email>',
  summary: 'Print an invitation link; the person sets their own password. It works once, for 7 days',
  options: optionsFor(ROLE),
  async run(ctx, { email }, values) {
    const invitation = await ctx.api('invitations.create', { ...inputFrom('invitations.create', ROLE, values), email })
    ctx.out.line(`Send this link to ${invitation.email}. It works once, until ${invitation.expiresAt}:`)
    ctx.out.line(`${ctx.settings.url ?? ''}${invitation.link}`)
    ctx.out.json(invitation)
  },
})

const invitations = command({
  usage: 'users invitations',
  summary: 'List the pending invitations',
  async run(ctx) {
    const all = await ctx.api('invitations.list')
    ctx.out.table(
      ['ID', 'EMAIL', 'ROLE', 'INVITED BY', 'EXPIRES'],
      all.map((each) => [String(each.id), each.email, each.role, each.invitedBy, each.expiresAt]),
    )
    ctx.out.json(all)
  },
})

const uninvite = command({
  usage: 'users uninvite <email>',
  summary: 'Revoke an invitation; its link stops working',
  async run(ctx, { email }) {
    const found = (await ctx.api('invitations.list')).find((each) => each.email === email.toLowerCase())
    if (!found) throw new CannotDo('invitation_not_found', `There is no invitation for ${email}.`, 'Try: berth users invitations')
    const answer = await ctx.api('invitations.delete', { id: found.id })
    ctx.out.line(`Invitation for ${found.email} revoked.`)
    ctx.out.json(answer)
  },
})

export const users = [list, invite, invitations, uninvite, create, update, remove]

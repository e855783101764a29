import { sizeWords } from '@berth/contract'
import { YES } from '../arguments.ts'
import { command } from '../command.ts'

const list = command({
  usage: 'backups',
  summary: 'List the backups of Berth on its server',
  async run(ctx) {
    const answer = await ctx.api('backups.list')
    ctx.out.table(
      ['NAME', 'CREATED', 'SIZE', 'ENCRYPTED'],
      answer.backups.map(({ name, createdAt, bytes, isEncrypted }) => [name, createdAt, sizeWords(bytes), isEncrypted ? 'yes' : 'no']),
    )
    if (answer.error !== '') ctx.out.line(`The last scheduled backup failed: ${answer.error}`)
    ctx.out.json(answer)
  },
})

const create = command({
  usage: 'backups create',
  summary: 'Back up Berth now',
  async run(ctx) {
    const answer = await ctx.api('backups.create')
    ctx.out.line(`Created ${answer.name}.`)
    ctx.out.json(answer)
  },
})

const verify = command({
  usage: 'backups verify <name>',
  summary: 'Check that a backup is complete and unchanged',
  async run(ctx, { name }) {
    const answer = await ctx.api('backups.verify', { name })
    ctx.out.line(`${answer.name} is complete: Berth ${answer.version}, ${answer.apps} apps, ${answer.users} users.`)
    ctx.out.json(answer)
  },
})

const remove = command({
  usage: 'backups delete <name>',
  summary: 'Delete a backup; asks first',
  options: YES,
  async run(ctx, { name }, values) {
    await ctx.prompt.confirm(name, values['yes'] === true)
    const answer = await ctx.api('backups.delete', { name })
    ctx.out.line(`Deleted ${answer.name}.`)
    ctx.out.json(answer)
  },
})

/** Backups of Berth itself; restoring one is a command on the server. */
export const backups = [list, create, verify, remove]

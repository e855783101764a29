import type { ProjectDetails } from '@berth/contract'
import { YES } from '../arguments.ts'
import { CannotDo, type Context, command } from '../command.ts'
import { findProject } from '../find-app.ts'

async function detailsOf(ctx: Context, project: string): Promise<ProjectDetails> {
  return await ctx.api('projects.get', { id: (await findProject(ctx.api, project)).id })
}

function show(ctx: Context, { members: people, ownerId }: ProjectDetails): void {
  const rows = people.map((member) => [String(member.id), member.email, member.role, member.id === ownerId ? 'yes' : '', member.addedAt])
  ctx.out.table(['ID', 'EMAIL', 'ROLE', 'OWNS IT', 'ADDED'], rows)
}

const list = command({
  usage: 'members <project>',
  summary: 'List the members of a project',
  async run(ctx, { project }) {
    const details = await detailsOf(ctx, project)
    show(ctx, details)
    ctx.out.json(details)
  },
})

const add = command({
  usage: 'members add <project> <email>',
  summary: 'Add a member to a project',
  async run(ctx, { project, email }) {
    const { id, members: people } = await detailsOf(ctx, project)
    const answer = await ctx.api('projects.members', { id, userIds: people.map((member) => member.id), emails: [email] })
    show(ctx, answer)
    ctx.out.json(answer)
  },
})

const remove = command({
  usage: 'members remove <project> <email>',
  summary: 'Remove a member from a project; asks first',
  options: YES,
  async run(ctx, { project, email }, values) {
    const { id, name, members: people } = await detailsOf(ctx, project)
    const leaving = people.find((member) => member.email.toLowerCase() === email.toLowerCase())
    if (!leaving) throw new CannotDo('member_not_found', `${email} is not a member of ${name}.`, `Try: berth members ${id}`)
    await ctx.prompt.confirm(leaving.email, values['yes'] === true)
    const userIds = people.filter((member) => member !== leaving).map((member) => member.id)
    const answer = await ctx.api('projects.members', { id, userIds })
    ctx.out.line(`${leaving.email} removed from ${name}.`)
    ctx.out.json(answer)
  },
})

export const members = [list, add, remove]

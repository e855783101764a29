import { type Command, required, textOf, WrongUsage } from '../command.ts'

export const projects: Command = {
  usage: 'projects [create <name>]',
  summary: 'The projects that you can see; or make one',
  options: { description: { type: 'string', summary: 'what the new project is for' } },
  async run(ctx, [action, name], values) {
    if (action === undefined) {
      const list = await ctx.api('projects.list')
      ctx.out.table(
        ['ID', 'NAME', 'DESCRIPTION'],
        list.map((project) => [String(project.id), project.name, project.description]),
      )
      ctx.out.json(list)
      return 0
    }
    if (action !== 'create') throw new WrongUsage(`There is no "projects ${action}".`)
    const description = textOf(values, 'description')
    const project = await ctx.api('projects.create', { name: required(name, 'name'), ...(description !== undefined && { description }) })
    ctx.out.line(`Project ${project.name} has the number ${project.id}.`)
    ctx.out.json(project)
    return 0
  },
}

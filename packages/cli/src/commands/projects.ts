import { YES } from '../arguments.ts'
import { command } from '../command.ts'
import { changesFrom, inputFrom, optionsFor } from '../contract-input.ts'
import { findProject } from '../find-app.ts'

const NEW = {
  description: { field: 'description', summary: 'what the project is for' },
  tags: { field: 'tags', value: 'a,b', summary: 'tags, separated by commas' },
} as const
const CHANGE = { name: { field: 'name', summary: 'a new name' }, ...NEW } as const

const list = command({
  usage: 'projects',
  summary: 'List the projects you can see',
  async run(ctx) {
    const projects = await ctx.api('projects.list')
    ctx.out.table(
      ['ID', 'NAME', 'DESCRIPTION'],
      projects.map((project) => [String(project.id), project.name, project.description]),
    )
    ctx.out.json(projects)
  },
})

const create = command({
  usage: 'projects create <name>',
  summary: 'Create a project',
  options: optionsFor(NEW),
  async run(ctx, { name }, values) {
    const project = await ctx.api('projects.create', { ...inputFrom('projects.create', NEW, values), name })
    ctx.out.line(`Project ${project.name} created (id ${project.id}). Next: berth apps create <name> --project ${project.id}`)
    ctx.out.json(project)
  },
})

const update = command({
  usage: 'projects update <project>',
  summary: 'Change a project',
  options: optionsFor(CHANGE),
  async run(ctx, { project }, values) {
    const changes = changesFrom('projects.update', CHANGE, values)
    const { id } = await findProject(ctx.api, project)
    const answer = await ctx.api('projects.update', { ...changes, id })
    ctx.out.line(`Project ${answer.name} updated.`)
    ctx.out.json(answer)
  },
})

const remove = command({
  usage: 'projects delete <project>',
  summary: 'Delete a project and everything in it; asks first',
  options: { ...YES, volumes: { type: 'boolean', summary: 'delete its data volumes too' } },
  async run(ctx, { project }, values) {
    const { id, name } = await findProject(ctx.api, project)
    await ctx.prompt.confirm(name, values['yes'] === true)
    const answer = await ctx.api('projects.delete', { id, deleteVolumes: values['volumes'] === true })
    ctx.out.line(`Project ${name} deleted.`)
    ctx.out.json(answer)
  },
})

const leave = command({
  usage: 'projects leave <project>',
  summary: 'Leave a project that you do not own; asks first',
  options: YES,
  async run(ctx, { project }, values) {
    const { id, name } = await findProject(ctx.api, project)
    await ctx.prompt.confirm(name, values['yes'] === true)
    const answer = await ctx.api('projects.leave', { id })
    ctx.out.line(`You left the project ${name}.`)
    ctx.out.json(answer)
  },
})

export const projects = [list, create, update, leave, remove]

import { YES } from '../arguments.ts'
import { CannotDo, type Context, command } from '../command.ts'
import { parsePair } from '../dotenv-file.ts'
import { findProject } from '../find-app.ts'

async function variablesOf(ctx: Context, nameOrId: string) {
  const project = await findProject(ctx.api, nameOrId)
  return { project, variables: await ctx.api('projectEnvs.list', { projectId: project.id }) }
}

const list = command({
  usage: 'variables list <project>',
  summary: 'List the variables of a project; its apps refer to them as ${{project.NAME}}',
  async run(ctx, { project }) {
    const { variables } = await variablesOf(ctx, project)
    for (const { key, value } of variables) ctx.out.line(`${key}=${value}`)
    ctx.out.json(variables)
  },
})

const set = command({
  usage: 'variables set <project> <KEY=VALUE...>',
  summary: 'Set variables of a project',
  async run(ctx, { project: nameOrId, more }) {
    const given = more.map(parsePair)
    const { project, variables } = await variablesOf(ctx, nameOrId)
    const values = new Map([...variables, ...given].map(({ key, value }) => [key, value]))
    const all = [...values].map(([key, value]) => ({ key, value }))
    const answer = await ctx.api('projectEnvs.replace', { projectId: project.id, variables: all })
    ctx.out.line(`${given.map(({ key }) => key).join(', ')} set. Apps that refer to them get them with their next deployment.`)
    ctx.out.json(answer)
  },
})

const unset = command({
  usage: 'variables unset <project> <KEY...>',
  summary: 'Remove variables of a project; asks first',
  options: YES,
  async run(ctx, { project: nameOrId, more: keys }, values) {
    const { project, variables } = await variablesOf(ctx, nameOrId)
    const missing = keys.find((key) => !variables.some((variable) => variable.key === key))
    if (missing !== undefined)
      throw new CannotDo('env_variable_not_found', `${project.name} has no variable ${missing}.`, `Try: berth variables list ${project.id}`)
    await ctx.prompt.confirm(keys.join(' '), values['yes'] === true)
    const remaining = variables.filter(({ key }) => !keys.includes(key)).map(({ key, value }) => ({ key, value }))
    const answer = await ctx.api('projectEnvs.replace', { projectId: project.id, variables: remaining })
    ctx.out.line(`${keys.join(', ')} removed.`)
    ctx.out.json(answer)
  },
})

export const variables = [list, set, unset]

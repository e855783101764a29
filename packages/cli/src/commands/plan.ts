import type { StackPlan } from '@berth/contract'
import { requiredText, textOf, wholeNumberOf } from '../arguments.ts'
import { type Context, command, type Values, WrongUsage } from '../command.ts'
import { readText } from '../files.ts'
import { findApp, findProject } from '../find-app.ts'

function show(ctx: Context, plan: StackPlan): void {
  const rows = plan.services.map((service) => [
    service.name,
    service.isBuilt ? 'built' : service.image,
    service.isRouted ? 'yes' : '-',
    service.volumes.map(({ path }) => path).join(', ') || '-',
  ])
  if (rows.length > 0) ctx.out.table(['SERVICE', 'IMAGE', 'VISITORS', 'VOLUMES'], rows)
  const variables = plan.variables.map(({ name, isSet, isRequired, default: fallback, message }) => [
    name,
    isSet ? 'set' : isRequired ? 'missing' : fallback === null ? 'empty' : `default: ${fallback}`,
    message,
  ])
  if (variables.length > 0) ctx.out.table(['VARIABLE', 'VALUE', 'NOTE'], variables)
  for (const note of plan.notes) ctx.out.line(`Note: ${note}`)
  for (const { reason } of plan.refused) ctx.out.line(`Refused: ${reason}`)
  ctx.out.note(
    plan.isAccepted ? 'A deployment would take this file.' : `A deployment would refuse this file: ${plan.refused.length} reasons.`,
  )
}

async function ask(ctx: Context, app: string | undefined, values: Values): Promise<StackPlan> {
  const [file, url] = [textOf(values, 'file'), textOf(values, 'git')]
  const port = wholeNumberOf(values, 'port')
  const given = { ...(file !== undefined && { composeFile: readText(file) }), ...(port !== undefined && { port }) }
  if (app !== undefined) {
    if (url !== undefined) throw new WrongUsage('--git is for a repository without an app.')
    return await ctx.api('stacks.plan', { appId: (await findApp(ctx.api, app)).id, ...given })
  }
  if (file === undefined && url === undefined) throw new WrongUsage('Give an app, --git or --file.')
  const { id: projectId } = await findProject(ctx.api, requiredText(values, 'project'))
  const [gitBranch, rootDirectory] = [textOf(values, 'branch'), textOf(values, 'root')]
  return await ctx.api('stacks.planNew', {
    projectId,
    ...given,
    ...(url !== undefined && { gitCloneUrl: url }),
    ...(gitBranch !== undefined && { gitBranch }),
    ...(rootDirectory !== undefined && { rootDirectory }),
  })
}

export const plan = command({
  usage: 'plan [app]',
  summary:
    'Show what a deployment would make of a compose file: of an app, of a repository, or of a file here; fails if it would be refused',
  options: {
    file: { type: 'string', value: 'file', summary: 'a compose file on this computer' },
    project: { type: 'string', short: 'p', value: 'project', summary: 'without an app: the name or ID of the project' },
    git: { type: 'string', value: 'url', summary: 'without an app: the clone URL of the repository' },
    branch: { type: 'string', value: 'name', summary: 'the branch; the default branch without it' },
    root: { type: 'string', value: 'path', summary: 'the directory in the repository' },
    port: { type: 'string', value: 'port', summary: 'the port that visitors are sent to' },
  },
  async run(ctx, { app }, values) {
    const found = await ask(ctx, app, values)
    show(ctx, found)
    ctx.out.json(found)
    return found.isAccepted ? 0 : 1
  },
})

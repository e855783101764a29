import type { StackPlan } from '@berth/contract'
import { requiredText, textOf, wholeNumberOf } from '../arguments.ts'
import { type Context, command, type ExitCode, type Values, WrongUsage } from '../command.ts'
import { readText } from '../files.ts'
import { findApp, findProject } from '../find-app.ts'
import { DOCKERFILE_ONLY, showPlanned } from './build-plan.ts'

function show(ctx: Context, plan: StackPlan): void {
  const rows = plan.services.map((service) => [
    service.name,
    service.isBuilt ? 'built' : service.image,
    String(service.replicas),
    service.isRouted ? 'yes' : '-',
    service.volumes.map(({ path }) => path).join(', ') || '-',
  ])
  if (rows.length > 0) ctx.out.table(['SERVICE', 'IMAGE', 'REPLICAS', 'VISITORS', 'VOLUMES'], rows)
  const variables = plan.variables.map(({ name, isSet, isRequired, default: fallback, message }) => [
    name,
    isSet ? 'set' : isRequired ? 'missing' : fallback === null ? 'empty' : `default: ${fallback}`,
    message,
  ])
  if (variables.length > 0) ctx.out.table(['VARIABLE', 'VALUE', 'NOTE'], variables)
  for (const note of plan.notes) ctx.out.line(`Note: ${note}`)
  for (const { reason } of plan.refused) ctx.out.line(`Refused: ${reason}`)
  ctx.out.note(plan.isAccepted ? 'This file can be deployed.' : `This file cannot be deployed: ${plan.refused.length} problems.`)
}

type Given = { composeFile?: string; port?: number }
type Place = { projectId: number; gitCloneUrl: string; gitBranch?: string; rootDirectory?: string }

function showStack(ctx: Context, plan: StackPlan): ExitCode {
  show(ctx, plan)
  ctx.out.json(plan)
  return plan.isAccepted ? 0 : 1
}

async function planApp(ctx: Context, app: string, { given, how }: { given: Given; how: { onlyDockerfile: boolean } }): Promise<ExitCode> {
  const { id: appId, app_type } = await findApp(ctx.api, app)
  if (app_type === 'compose' || given.composeFile !== undefined) return showStack(ctx, await ctx.api('stacks.plan', { appId, ...given }))
  return showPlanned(ctx, await ctx.api('builds.plan', { appId }), how)
}

/** A repository with a Dockerfile is one app, even if it has a compose file too; that is what the wizard suggests. */
async function isStack(ctx: Context, place: Place): Promise<boolean> {
  const { dockerfile, composeFile } = await ctx.api('apps.checkSourceFiles', place)
  return composeFile.state === 'found' && dockerfile.state !== 'found'
}

function placeOf(values: Values, projectId: number, gitCloneUrl: string): Place {
  const [gitBranch, rootDirectory] = [textOf(values, 'branch'), textOf(values, 'root')]
  return { projectId, gitCloneUrl, ...(gitBranch !== undefined && { gitBranch }), ...(rootDirectory !== undefined && { rootDirectory }) }
}

export const plan = command({
  usage: 'plan [app]',
  summary: 'Show what a deployment of an app, a repository or a local compose file would build and run; fails if it would be refused',
  options: {
    file: { type: 'string', value: 'file', summary: 'a compose file on this computer' },
    project: { type: 'string', short: 'p', value: 'project', summary: 'without an app: the name or ID of the project' },
    git: { type: 'string', value: 'url', summary: 'without an app: the clone URL of the repository' },
    branch: { type: 'string', value: 'name', summary: 'the branch (default: the default branch)' },
    root: { type: 'string', value: 'path', summary: 'the directory in the repository' },
    port: { type: 'string', value: 'port', summary: 'the port that visitors are sent to' },
    type: { type: 'string', value: 'type', summary: 'without an app: web or compose (default: what the repository has)' },
    ...DOCKERFILE_ONLY,
  },
  async run(ctx, { app }, values) {
    const [file, url, type] = [textOf(values, 'file'), textOf(values, 'git'), textOf(values, 'type')]
    const port = wholeNumberOf(values, 'port')
    const given = { ...(file !== undefined && { composeFile: readText(file) }), ...(port !== undefined && { port }) }
    const how = { onlyDockerfile: values['dockerfile'] === true }
    if (app !== undefined && url !== undefined) throw new WrongUsage('--git is for a repository without an app.')
    if (app !== undefined) return await planApp(ctx, app, { given, how })
    if (file === undefined && url === undefined) throw new WrongUsage('Give an app, --git or --file.')
    const { id: projectId } = await findProject(ctx.api, requiredText(values, 'project'))
    if (url === undefined) return showStack(ctx, await ctx.api('stacks.planNew', { projectId, ...given }))
    const place = placeOf(values, projectId, url)
    const hasServices = file !== undefined || (type === undefined ? await isStack(ctx, place) : type === 'compose')
    if (hasServices) return showStack(ctx, await ctx.api('stacks.planNew', { ...place, ...given }))
    return showPlanned(ctx, await ctx.api('builds.planNew', { ...place, ...given }), how)
  },
})

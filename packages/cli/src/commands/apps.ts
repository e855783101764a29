import { type Command, type Context, required, textOf, type Values, WrongUsage, wholeNumberOf } from '../command.ts'
import { findProject } from '../find-app.ts'

async function list(ctx: Context, values: Values): Promise<void> {
  const words = textOf(values, 'project')
  const apps =
    words === undefined ? await ctx.api('apps.listAll') : await ctx.api('apps.list', { projectId: (await findProject(ctx.api, words)).id })
  ctx.out.table(
    ['ID', 'NAME', 'STATUS', 'TYPE', 'DOMAINS'],
    apps.map((app) => [String(app.id), app.name, app.status, app.app_type, app.domains.join(' ')]),
  )
  ctx.out.json(apps)
}

async function create(ctx: Context, name: string, values: Values): Promise<void> {
  const project = await findProject(ctx.api, required(textOf(values, 'project'), '--project'))
  const [gitCloneUrl, gitBranch, port] = [textOf(values, 'git'), textOf(values, 'branch'), wholeNumberOf(values, 'port')]
  const app = await ctx.api('apps.create', {
    name,
    projectId: project.id,
    ...(gitCloneUrl !== undefined && { gitCloneUrl }),
    ...(gitBranch !== undefined && { gitBranch }),
    ...(port !== undefined && { port }),
  })
  ctx.out.line(`App ${app.name} has the number ${app.id}. Next: berth deploy ${app.id}`)
  ctx.out.json(app)
}

export const apps: Command = {
  usage: 'apps [create <name>]',
  summary: 'The apps that you can see; or make one',
  options: {
    project: { type: 'string', short: 'p', value: 'project', summary: 'its name or its number' },
    git: { type: 'string', value: 'url', summary: 'the clone URL of the new app' },
    branch: { type: 'string', value: 'name', summary: 'the branch of the new app' },
    port: { type: 'string', value: 'number', summary: 'the port that the new app listens on' },
  },
  async run(ctx, [action, name], values) {
    if (action === undefined) await list(ctx, values)
    else if (action === 'create') await create(ctx, required(name, 'name'), values)
    else throw new WrongUsage(`There is no "apps ${action}".`)
    return 0
  },
}

import { textOf, wholeNumberOf } from '../arguments.ts'
import { CannotDo, type Context, command, type ExitCode, type Values, WrongUsage } from '../command.ts'
import { findApp } from '../find-app.ts'
import { followDeployment } from '../follow-deployment.ts'
import { sinceOf } from '../since.ts'

const DEFAULT_TAIL = 200
const MOST_LINES = 10_000

function print(ctx: Context, logs: string): void {
  for (const line of logs.split('\n')) if (line !== '') ctx.out.line(line)
}

async function showBuild(ctx: Context, deploymentId: number, isFollowed: boolean): Promise<ExitCode> {
  if (isFollowed) return await followDeployment(ctx, deploymentId)
  const logs = await ctx.api('deployments.log', { deploymentId })
  print(ctx, logs)
  ctx.out.json({ logs })
  return 0
}

type Wanted = { tail: number; since?: string }
type Which = { appId: number; service?: string }

type Followed = { id: string; prefix: string }

/** All services of a compose app as one stream, or one of them. Each line says which one printed it, if there may be several. */
async function followServices(ctx: Context, { appId, service }: Which, wanted: Wanted): Promise<void> {
  const { services } = await ctx.api('stacks.services', { appId })
  const shown = services.filter(({ name, containerId }) => containerId !== '' && (service ?? name) === name)
  const hint = service === undefined ? `Try: berth deploy ${appId}` : `Try: berth services ${appId}`
  if (shown.length === 0) throw new CannotDo('no_container', `There is no container${service ? ` of a service ${service}` : ' yet'}.`, hint)
  await ctx.follow('app.logs', { appId, ...(service !== undefined && { service }), ...wanted }, (frame) => {
    if (frame.type === 'log') {
      const { service: by, replica, line } = frame.data
      const words = [...(service === undefined ? [by] : []), ...(replica > 1 ? [`replica ${replica}`] : [])].join(' ')
      ctx.out.line(words === '' ? line : `${words} | ${line}`)
    } else if (frame.type === 'end') ctx.out.note(frame.data.message)
    else ctx.out.note(`(${frame.data.lines} lines skipped)`)
  })
}

/** Where there are several replicas or processes, each line says which one printed it. */
async function containersOf(ctx: Context, { appId, service }: Which): Promise<Followed[]> {
  const { id, replicas, processes = [] } = await ctx.api('containers.status', { appId })
  const ofProcesses = processes
    .filter(({ name }) => service === undefined || name === service)
    .flatMap(({ name, replicas: all }) =>
      all.map((each) => ({ id: each.id, prefix: all.length > 1 ? `${name} replica ${each.replica} | ` : `${name} | ` })),
    )
  if (service !== undefined) return ofProcesses
  const main = replicas?.map((each) => ({ id: each.id, prefix: `replica ${each.replica} | ` })) ?? (id === '' ? [] : [{ id, prefix: '' }])
  return [...main, ...ofProcesses]
}

async function followContainer(ctx: Context, name: string, { which, wanted }: { which: Which; wanted: Wanted }): Promise<void> {
  const { appId, service } = which
  const containers = await containersOf(ctx, which)
  if (containers.length === 0 && service !== undefined)
    throw new CannotDo('no_container', `${name} has no container of a process ${service}.`, `Try: berth scale ${appId} ${service}=1`)
  if (containers.length === 0) throw new CannotDo('no_container', `${name} has not been deployed yet.`, `Try: berth deploy ${appId}`)
  await Promise.all(containers.map(async (each) => await followOne(ctx, each, wanted)))
}

async function followOne(ctx: Context, { id: containerId, prefix }: Followed, wanted: Wanted): Promise<void> {
  await ctx.follow('container.logs', { containerId, ...wanted }, (frame) => {
    if (frame.type === 'log') ctx.out.line(`${prefix}${frame.data.line}`)
    else if (frame.type === 'end') ctx.out.note(`${prefix}${frame.data.message}`)
    else if (frame.type === 'gap') ctx.out.note(`${prefix}(${frame.data.lines} lines skipped)`)
  })
}

/** Adjacent lines are printed together, with `--` between groups, as in grep. */
async function search(ctx: Context, which: Which, wanted: { search: string; context: number; limit?: number }): Promise<ExitCode> {
  const found = await ctx.api('containers.logSearch', { ...which, ...wanted })
  let last = found.lines[0]?.n ?? 0
  for (const { n, at, line, service } of found.lines) {
    if (n > last + 1 && wanted.context > 0) ctx.out.line('--')
    ctx.out.line(service === '' || which.service !== undefined ? `${at} ${line}` : `${at} ${service} | ${line}`)
    last = n
  }
  const shown = found.lines.filter(({ isMatch }) => isMatch).length
  const newest = shown < found.matches ? `; the newest ${shown} are shown` : ''
  ctx.out.note(`${found.matches} of ${found.total} lines match${newest}.`)
  ctx.out.json(found)
  return found.matches > 0 ? 0 : 1
}

async function showAll(ctx: Context, which: Which): Promise<ExitCode> {
  const logs = await ctx.api('containers.logFile', which)
  print(ctx, logs)
  ctx.out.json({ logs })
  return 0
}

/** Options that exclude each other. */
function refuseTogether(values: Values, names: readonly string[]): void {
  const [first, second] = names.filter((name) => values[name] !== undefined && values[name] !== false)
  if (first !== undefined && second !== undefined) throw new WrongUsage(`--${first} and --${second} cannot be used together.`)
}

export const logs = command({
  usage: 'logs [app]',
  summary:
    'Show the log of an app: the last lines, all of it, or lines that contain some text; with --deployment, the build log of a deployment',
  options: {
    service: { type: 'string', value: 'name', summary: 'only this service of a compose app, or only this process' },
    tail: { type: 'string', short: 'n', value: 'number', summary: `how many lines (default ${DEFAULT_TAIL}; with --since, ${MOST_LINES})` },
    since: { type: 'string', value: 'when', summary: 'only lines since then: 10m, 2h, 1d, or a time' },
    follow: { type: 'boolean', short: 'f', summary: 'keep printing new lines' },
    all: { type: 'boolean', summary: 'the whole log, as far as it is kept' },
    search: {
      type: 'string',
      short: 's',
      value: 'text',
      summary: 'only lines that contain this text, ignoring case; fails if there are none',
    },
    context: { type: 'string', short: 'C', value: 'number', summary: 'with --search, how many lines to show around each match' },
    deployment: { type: 'string', value: 'id', summary: 'the build log of this deployment; needs no app' },
  },
  async run(ctx, { app }, values) {
    const deploymentId = wholeNumberOf(values, 'deployment')
    if (deploymentId !== undefined) return await showBuild(ctx, deploymentId, values['follow'] === true)
    if (app === undefined) throw new WrongUsage('<app> is missing.')
    const found = await findApp(ctx.api, app)
    for (const one of ['follow', 'since']) refuseTogether(values, [one, 'all', 'search'])
    const service = textOf(values, 'service')
    const which = { appId: found.id, ...(service !== undefined && { service }) }
    if (values['all'] === true) return await showAll(ctx, which)
    const limit = wholeNumberOf(values, 'tail')
    const words = textOf(values, 'search')
    const context = wholeNumberOf(values, 'context') ?? 0
    if (words !== undefined) return await search(ctx, which, { search: words, context, ...(limit !== undefined && { limit }) })
    const since = textOf(values, 'since')
    const tail = limit ?? (since === undefined ? DEFAULT_TAIL : MOST_LINES)
    const wanted = { tail, ...(since !== undefined && { since: sinceOf(since, ctx.now()) }) }
    if (values['follow'] === true) {
      if (found.app_type === 'compose') await followServices(ctx, which, wanted)
      else await followContainer(ctx, found.name, { which, wanted })
      return 0
    }
    const answer = await ctx.api('containers.logs', { ...which, ...wanted })
    print(ctx, answer.logs)
    ctx.out.json(answer)
    return 0
  },
})

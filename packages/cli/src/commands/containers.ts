import { type AppProcess, type FiguresRange, type OperationName, sizeWords } from '@berth/contract'
import { textOf } from '../arguments.ts'
import { type Command, type Context, command, WrongUsage } from '../command.ts'
import { findApp } from '../find-app.ts'
import { statusWords } from '../status-words.ts'

type Verb = { operation: OperationName & `containers.${'start' | 'stop' | 'restart'}`; summary: string; done: string }

function containerCommand(verb: 'start' | 'stop' | 'restart', { operation, summary, done }: Verb): Command {
  return command({
    usage: `${verb} <app>`,
    summary,
    async run(ctx, { app }) {
      const { id: appId, name } = await findApp(ctx.api, app)
      const answer = await ctx.api(operation, { appId })
      ctx.out.line(`${name} ${done}.`)
      ctx.out.json(answer)
    },
  })
}

const start = containerCommand('start', { operation: 'containers.start', summary: 'Start an app that was stopped', done: 'started' })
const stop = containerCommand('stop', { operation: 'containers.stop', summary: 'Stop an app; its data is kept', done: 'stopped' })
const restart = containerCommand('restart', { operation: 'containers.restart', summary: 'Restart an app', done: 'restarted' })

type ProcessChange = { name: string; replicas: number; command?: string; cpuLimit?: number | null; memoryLimit?: number | null }

/** A limit as it was typed; null for that of the app. */
function limitIn(values: Parameters<typeof textOf>[0], name: 'cpus' | 'memory'): number | null | undefined {
  const text = textOf(values, name)
  if (text === undefined || text === 'none') return text === undefined ? undefined : null
  if (!/^\d+(\.\d+)?$/.test(text)) throw new WrongUsage(`--${name} must be a number, or none for the limit of the app.`)
  return Number(text)
}

/** What the options say of the process. */
function changeIn(values: Parameters<typeof textOf>[0]): Omit<ProcessChange, 'name' | 'replicas'> {
  const [command, cpuLimit, memoryLimit] = [textOf(values, 'command'), limitIn(values, 'cpus'), limitIn(values, 'memory')]
  return {
    ...(command !== undefined && { command }),
    ...(cpuLimit !== undefined && { cpuLimit }),
    ...(memoryLimit !== undefined && { memoryLimit }),
  }
}

/** The list of processes with one of them changed, or added. */
function withProcess(processes: readonly AppProcess[], change: ProcessChange) {
  const before = processes.find(({ name }) => name === change.name)
  const changed = { command: '', ...before, ...change }
  return before ? processes.map((each) => (each === before ? changed : each)) : [...processes, changed]
}

const scale = command({
  usage: 'scale <app> <replicas>',
  summary:
    'Run 1 to 20 containers of a web app or service, or 0 to 20 of another process (such as worker=2); takes effect without a deployment',
  options: {
    command: {
      type: 'string',
      value: 'command',
      summary: 'what the process runs, from the next deployment on; empty for its line in the Procfile',
    },
    cpus: {
      type: 'string',
      value: 'cores',
      summary: 'the most CPU cores a container of the process can use, from the next deployment on; none for the limit of the app',
    },
    memory: { type: 'string', value: 'MB', summary: 'the same for its memory, in megabytes' },
  },
  async run(ctx, { app, replicas: given }, values) {
    const [, process = '', number] = /^(?:([A-Za-z0-9_-]+)=)?(\d+)$/.exec(given) ?? []
    if (number === undefined) throw new WrongUsage('<replicas> must be a whole number such as 2, or a process with one such as worker=2.')
    const isMain = process === '' || process === 'web' || process === 'main'
    const change = changeIn(values)
    if (isMain && Object.keys(change).length > 0)
      throw new WrongUsage(
        '--command, --cpus and --memory are for other processes, such as worker=2. For the main process use berth apps update with --start-command, --cpus and --memory.',
      )
    const { id: appId, name } = await findApp(ctx.api, app)
    const replicas = Number(number)
    const update = isMain ? { replicas } : { processes: await processesWith(ctx, appId, { ...change, name: process, replicas }) }
    const changed = await ctx.api('apps.update', { appId, ...update })
    ctx.out.line(`${name}${isMain ? '' : ` ${process}`} runs as ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}.`)
    ctx.out.json(changed)
  },
})

async function processesWith(ctx: Context, appId: number, change: ProcessChange) {
  return withProcess((await ctx.api('apps.get', { appId })).processes, change)
}

const status = command({
  usage: 'status <app>',
  summary: 'Show the state of an app',
  async run(ctx, { app }) {
    const { id: appId } = await findApp(ctx.api, app)
    const found = await ctx.api('apps.get', { appId }) // lists leave out some of its settings
    const deployments = await ctx.api('deployments.list', { appId })
    const live = deployments.find((deployment) => deployment.is_active)
    ctx.out.table(
      ['APP', 'STATUS', 'REPLICAS', 'LIVE', 'ADDRESS', 'REASON'],
      [
        [
          found.name,
          statusWords(found),
          [String(found.replicas), ...found.processes.map((each) => `${each.name}=${each.replicas}`)].join(' '),
          live ? `deployment ${live.deployment_number}` : 'none',
          found.url || 'none',
          found.status_reason,
        ],
      ],
    )
    ctx.out.json(found)
  },
})

const usage = command({
  usage: 'usage <app>',
  summary: 'Show the CPU and memory an app uses now',
  async run(ctx, { app }) {
    const { id: appId } = await findApp(ctx.api, app)
    const used = await ctx.api('containers.usage', { appId })
    ctx.out.table(['CPU', 'MEMORY', 'LIMIT'], [[`${used.cpu} %`, sizeWords(used.memory), sizeWords(used.memoryLimit)]])
    ctx.out.json(used)
  },
})

const traffic = command({
  usage: 'traffic <app>',
  summary: 'Show the requests an app has served',
  async run(ctx, { app }) {
    const { id: appId } = await findApp(ctx.api, app)
    const seen = await ctx.api('apps.traffic', { appId })
    const byStatus = Object.entries(seen.byStatus).map(([code, count]) => `${code}: ${count}`)
    ctx.out.table(
      ['REQUESTS', 'MEDIAN', '99 %', 'BYTES', 'BY STATUS'],
      [[String(seen.requests), `${seen.p50Ms} ms`, `${seen.p99Ms} ms`, String(seen.bytes), byStatus.join(', ')]],
    )
    ctx.out.json(seen)
  },
})

const RANGES = ['1h', '6h', '24h'] as const

function rangeOf(text: string | undefined): FiguresRange | undefined {
  const found = RANGES.find((range) => range === text)
  if (text !== undefined && found === undefined) throw new WrongUsage(`--range must be one of ${RANGES.join(', ')}.`)
  return found
}

function cell(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? '-' : `${Math.round(value * 100) / 100}${unit}`
}

const figures = command({
  usage: 'figures <app>',
  summary: 'Show CPU, memory, requests, latency and errors of an app over the last 1, 6 or 24 hours',
  options: { range: { type: 'string', value: 'range', summary: '1h (default), 6h or 24h' } },
  async run(ctx, { app }, values) {
    const { id: appId } = await findApp(ctx.api, app)
    const range = rangeOf(textOf(values, 'range'))
    const seen = await ctx.api('figures.get', { appId, ...(range && { range }) })
    const rows = seen.cpu.flatMap((cpu, at) => {
      if (cpu === null && seen.requests[at] === null) return []
      const time = new Date(Date.parse(seen.from) + at * seen.everySeconds * 1000).toISOString().slice(0, 16)
      const memory = seen.memory[at]
      const traffic = [cell(seen.requests[at], '/s'), cell(seen.p50[at], ' ms'), cell(seen.p99[at], ' ms'), cell(seen.errors[at], '/s')]
      return [[`${time}Z`, cell(cpu, ' %'), typeof memory === 'number' ? sizeWords(memory) : '-', ...traffic]]
    })
    if (rows.length === 0) ctx.out.note('No data yet.')
    else ctx.out.table(['TIME', 'CPU', 'MEMORY', 'REQUESTS', 'MEDIAN', '99 %', '5XX'], rows)
    ctx.out.json(seen)
  },
})

export const containers = [status, start, stop, restart, scale, usage, traffic, figures]

import type { OperationName } from '@berth/contract'
import { type Command, command } from '../command.ts'
import { findApp } from '../find-app.ts'

const MEGABYTE = 1024 * 1024

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

const status = command({
  usage: 'status <app>',
  summary: 'Show how an app is doing',
  async run(ctx, { app }) {
    const found = await findApp(ctx.api, app)
    const deployments = await ctx.api('deployments.list', { appId: found.id })
    const live = deployments.find((deployment) => deployment.is_active)
    ctx.out.table(
      ['APP', 'STATUS', 'LIVE', 'ADDRESS', 'REASON'],
      [[found.name, found.status, live ? `deployment ${live.deployment_number}` : 'none', found.url || 'none', found.status_reason]],
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
    ctx.out.table(
      ['CPU', 'MEMORY', 'LIMIT'],
      [[`${used.cpu} %`, `${Math.round(used.memory / MEGABYTE)} MB`, `${Math.round(used.memoryLimit / MEGABYTE)} MB`]],
    )
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

export const containers = [status, start, stop, restart, usage, traffic]

import { type StackService, sizeWords } from '@berth/contract'
import { command } from '../command.ts'
import { readText } from '../files.ts'
import { findApp } from '../find-app.ts'

function rowOf(service: StackService): string[] {
  const { name, state, health, cpu, memory, restarts, domains, ports, reason, image, replicas, runningReplicas } = service
  const running = replicas > 1 ? ` ${runningReplicas}/${replicas}` : ''
  const used = cpu === null || memory === null ? '-' : `${cpu} % ${sizeWords(memory)}`
  const addresses = [...domains, ...ports.map(({ host, container, protocol }) => `${host}:${container}/${protocol}`)]
  return [
    name,
    `${state}${running}${health === '' ? '' : ` (${health})`}`,
    used,
    String(restarts),
    image,
    addresses.join(', ') || '-',
    reason,
  ]
}

const services = command({
  usage: 'services <app>',
  summary: 'List the services of a compose app: state, CPU and memory, restarts, image, domains and ports',
  async run(ctx, { app }) {
    const { id: appId } = await findApp(ctx.api, app)
    const found = await ctx.api('stacks.services', { appId })
    if (found.services.length === 0) ctx.out.note('This app has no services: it is not a compose app, or has not been deployed yet.')
    else ctx.out.table(['SERVICE', 'STATE', 'USES', 'RESTARTS', 'IMAGE', 'REACHED AT', 'REASON'], found.services.map(rowOf))
    ctx.out.json(found)
  },
})

const VERBS = {
  start: { operation: 'stacks.startService', summary: 'Start one service of a compose app' },
  stop: { operation: 'stacks.stopService', summary: 'Stop one service of a compose app until it is started or the app is deployed again' },
  restart: { operation: 'stacks.restartService', summary: 'Restart one service of a compose app' },
} as const

function serviceCommand(verb: keyof typeof VERBS) {
  const { operation, summary } = VERBS[verb]
  return command({
    usage: `services ${verb} <app> <service>`,
    summary,
    async run(ctx, { app, service }) {
      const { id: appId } = await findApp(ctx.api, app)
      const answer = await ctx.api(operation, { appId, service })
      ctx.out.line(`${answer.message}.`)
      ctx.out.json(answer)
    },
  })
}

const composeFile = command({
  usage: 'apps compose <app> [file]',
  summary: 'Print the compose file of an app without a repository, or set it from a file; "-" removes it',
  async run(ctx, { app, file }) {
    const { id: appId, name } = await findApp(ctx.api, app)
    if (file === undefined) {
      const found = await ctx.api('stacks.file', { appId })
      ctx.out.line(found.composeFile)
      return ctx.out.json(found)
    }
    const plan = await ctx.api('stacks.setFile', { appId, composeFile: file === '-' ? '' : readText(file) })
    for (const note of plan.notes) ctx.out.line(`Note: ${note}`)
    ctx.out.line(file === '-' ? `Compose file of ${name} removed.` : `Compose file of ${name} saved. Next: berth deploy ${appId}`)
    ctx.out.json(plan)
  },
})

const runningFile = command({
  usage: 'services file <app>',
  summary: 'Print the compose file of the live release as Berth read it, and what was ignored or changed',
  options: { source: { type: 'boolean', summary: 'print it as it was written' } },
  async run(ctx, { app }, values) {
    const { id: appId } = await findApp(ctx.api, app)
    const found = await ctx.api('stacks.running', { appId })
    if (found.deploymentId === null) ctx.out.note('Nothing of this app is live, or it is not a compose app.')
    else ctx.out.line(values['source'] === true ? found.source : found.running)
    for (const note of found.notes) ctx.out.note(`Note: ${note}`)
    for (const { service, key, before, after } of found.changes)
      ctx.out.note(`Changed: ${[service, key].filter(Boolean).join('.')}: ${before ?? '(none)'} → ${after ?? '(none)'}`)
    ctx.out.json(found)
  },
})

export const stacks = [composeFile, runningFile, services, serviceCommand('start'), serviceCommand('stop'), serviceCommand('restart')]

import { type ControlPlane, sizeWords } from '@berth/contract'
import { YES } from '../arguments.ts'
import { type Context, command, WrongUsage } from '../command.ts'
import { inputFrom, optionsFor, readAs, shapeOf } from '../contract-input.ts'

const AUDIT = {
  limit: { field: 'limit', value: 'number', summary: 'how many entries' },
  before: { field: 'before', value: 'id', summary: 'only entries older than this one' },
  action: { field: 'action', value: 'text', summary: 'only actions that start with this, such as "app."' },
  actor: { field: 'actorId', value: 'id', summary: 'only actions of this user' },
  search: { field: 'search', value: 'text', summary: 'only entries that contain this' },
  since: { field: 'since', value: 'day', summary: 'only entries from this day on, such as 2026-01-31' },
  until: { field: 'until', value: 'day', summary: 'only entries up to this day' },
} as const

const health = command({
  usage: 'health',
  summary: 'Check that all parts of the server work; fails if one does not',
  async run(ctx) {
    const answer = await ctx.api('health')
    const rows = Object.entries(answer.checks).map(([part, state]) => [part, state, answer.messages[part] ?? ''])
    ctx.out.line(`Berth ${answer.version} at ${ctx.settings.url ?? ''} is ${answer.status}.`)
    ctx.out.table(['PART', 'STATE', 'MESSAGE'], rows)
    ctx.out.json(answer)
    return answer.status === 'ok' ? 0 : 1
  },
})

const doctor = command({
  usage: 'doctor',
  summary: 'Check the machine that Berth runs on, and say what to do; fails if there is a problem',
  async run(ctx) {
    const answer = await ctx.api('doctor.run')
    ctx.out.table(
      ['CHECK', 'RESULT', 'FOUND', 'TO DO'],
      answer.map(({ check, level, message, toDo }) => [check, level, message, toDo]),
    )
    ctx.out.json(answer)
    return answer.some(({ level }) => level === 'problem') ? 1 : 0
  },
})

const metrics = command({
  usage: 'metrics',
  summary: 'Show the server metrics',
  async run(ctx) {
    const answer = await ctx.api('metrics.history')
    const rows = answer.points
      .slice(-1)
      .map((point) => [
        `${Math.round(point.cpu.usage)} %`,
        `${Math.round(point.memory.percent)} %`,
        `${Math.round(point.disk.percent)} %`,
        point.load.map((load) => load.toFixed(2)).join(' '),
        point.at,
      ])
    ctx.out.table(['CPU', 'MEMORY', 'DISK', 'LOAD', 'AT'], rows)
    ctx.out.json(answer)
  },
})

const settings = command({
  usage: 'settings',
  summary: 'Show the settings of the server',
  async run(ctx) {
    const answer = await ctx.api('settings.get')
    ctx.out.table(
      ['NAME', 'VALUE'],
      Object.entries(answer).map(([name, value]) => [name, String(value)]),
    )
    ctx.out.json(answer)
  },
})

const setSetting = command({
  usage: 'settings set <name> [value]',
  summary: 'Change a server setting; without a value it is cleared',
  async run(ctx, { name, value = '' }) {
    const shape = shapeOf('settings.update', name)
    if (!shape) throw new WrongUsage(`There is no setting "${name}". Run: berth settings`)
    const answer = await ctx.api('settings.update', { [name]: readAs(shape, value, name) })
    ctx.out.line(`${name} set to "${String(Object.entries(answer).find(([key]) => key === name)?.[1] ?? '')}".`)
    ctx.out.json(answer)
  },
})

const ports = command({
  usage: 'ports',
  summary: 'List the ports of the server that lead to services of apps',
  async run(ctx) {
    const list = await ctx.api('ports.list')
    ctx.out.table(
      ['PORT', 'ADDRESS', 'APP', 'SERVICE', 'PROJECT', 'SINCE', ''],
      list.map((one) => [
        `${one.port}/${one.protocol}`,
        one.address || '-',
        one.appName,
        one.service === '' ? '-' : `${one.service}:${one.target}`,
        one.projectName,
        one.since,
        one.isWanted ? '' : 'open until the next deployment',
      ]),
    )
    ctx.out.json(list)
  },
})

function showNodes(ctx: Context, list: ControlPlane[]): void {
  if (list.length === 0) ctx.out.note('This Berth is the only control plane on its database.')
  else
    ctx.out.table(
      ['NAME', 'STATE', 'VERSION', 'STARTED', 'LAST SEEN', 'JOBS', 'PROXY', 'RUNS'],
      list.map((one) => [
        one.isThis ? `${one.name} (this one)` : one.name,
        one.state,
        one.version,
        one.startedAt ?? '-',
        one.lastSeenAt,
        String(one.jobs),
        one.isEdgeStopped ? 'stopped' : 'on',
        one.runsLoops ? 'single loops' : '-',
      ]),
    )
  ctx.out.json(list)
}

const nodes = command({
  usage: 'nodes',
  summary: 'List the control planes on the database of the server; fails if one is away',
  async run(ctx) {
    const list = await ctx.api('nodes.list')
    showNodes(ctx, list)
    return list.some(({ state }) => state === 'away') ? 1 : 0
  },
})

const removeNode = command({
  usage: 'nodes remove <name>',
  summary: 'Forget a control plane that is gone for good, so that its ports are free; asks first',
  options: YES,
  async run(ctx, { name }, values) {
    await ctx.prompt.confirm(name, values['yes'] === true)
    showNodes(ctx, await ctx.api('nodes.remove', { name }))
  },
})

const disk = command({
  usage: 'disk',
  summary: 'Show the disk usage and how much a clean-up would free',
  async run(ctx) {
    const answer = await ctx.api('disk.usage')
    ctx.out.table(
      ['KIND', 'SIZE', 'CAN BE FREED'],
      answer.kinds.map(({ kind, bytes, freeable }) => [kind, sizeWords(bytes), freeable === 0 ? '-' : sizeWords(freeable)]),
    )
    ctx.out.json(answer)
  },
})

const cleanDisk = command({
  usage: 'disk clean',
  summary: 'Remove build cache, and with --releases the images of releases that are not live; asks first',
  options: { releases: { type: 'boolean', summary: 'also remove old releases; you can no longer roll back to them' }, ...YES },
  async run(ctx, _args, values) {
    const kinds = values['releases'] === true ? (['cache', 'images'] as const) : (['cache'] as const)
    await ctx.prompt.confirm('clean', values['yes'] === true)
    const answer = await ctx.api('disk.cleanUp', { kinds: [...kinds] })
    ctx.out.line(`${sizeWords(answer.freedBytes)} freed.`)
    ctx.out.json(answer)
  },
})

const audit = command({
  usage: 'audit',
  summary: 'Show who changed what, newest first',
  options: optionsFor(AUDIT),
  async run(ctx, _args, values) {
    const entries = await ctx.api('audit.list', inputFrom('audit.list', AUDIT, values))
    const subjectOf = (entry: { subject: string; subjectId: number | null }) => [entry.subject, entry.subjectId ?? ''].join(' ').trim()
    ctx.out.table(
      ['ID', 'AT', 'WHO', 'ACTION', 'SUBJECT'],
      entries.map((entry) => [String(entry.id), entry.at, entry.actorEmail, entry.action, subjectOf(entry)]),
    )
    ctx.out.json(entries)
  },
})

export const server = [health, doctor, metrics, disk, cleanDisk, settings, setSetting, ports, nodes, removeNode, audit]

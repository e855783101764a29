import { type Availability, type Call, type Server, type ServerEdgeState, type Servers, sizeWords } from '@berth/contract'
import { textOf, YES } from '../arguments.ts'
import { CannotDo, type Context, command, WrongUsage } from '../command.ts'

/** A server by its id or its name. */
export async function findServer(api: Call, nameOrId: string): Promise<Server> {
  const { servers: all } = await api('servers.list')
  const [only, other] = all.filter(({ id, name }) => id === nameOrId || name === nameOrId)
  if (!only) throw new CannotDo('server_not_found', `There is no server "${nameOrId}".`, 'Try: berth servers')
  if (other)
    throw new CannotDo('server_ambiguous', 'Several servers have this name.', 'Try again with the ID of the server (berth servers).')
  return only
}

/** It can be undone, so it is not asked for like a deletion. */
async function agree(ctx: Context, isAgreed: boolean): Promise<void> {
  if (isAgreed || (await ctx.prompt.line('Type "swarm" to agree: ', '--yes')) === 'swarm') return
  throw new WrongUsage('Nothing was changed.')
}

function stateOf({ state, availability, isChecked, checkedAt }: Server): string {
  const states = state === 'down' || availability === 'active' ? [state] : [state, availability]
  return [...states, ...(isChecked ? [] : [checkedAt === null ? 'not checked' : 'check failed'])].join(', ')
}

const EDGE_WORDS = { off: '-', current: 'on', behind: 'behind', unreachable: 'unreachable' } as const satisfies Record<
  ServerEdgeState,
  string
>

function show(ctx: Context, answer: Servers): void {
  ctx.out.table(
    ['ID', 'NAME', 'ADDRESS', 'ROLE', 'STATE', 'EDGE', 'CPU', 'MEMORY', 'APPS', 'LABELS'],
    answer.servers.map((server) => [
      server.id,
      server.isThis ? `${server.name} (this server)` : server.name,
      server.address || '-',
      server.isLeader && answer.isSwarm ? 'manager, leader' : server.role,
      stateOf(server),
      EDGE_WORDS[server.edge.state],
      server.cpu === null ? `${server.cores} cores` : `${Math.round(server.cpu)} % of ${server.cores} cores`,
      `${server.memory === null ? '' : `${Math.round(server.memory)} % of `}${sizeWords(server.memoryBytes)}`,
      server.runs.map(({ appName, containers }) => (containers === 1 ? appName : `${appName} (${containers})`)).join(', ') || '-',
      server.labels.join(', ') || '-',
    ]),
  )
  for (const { name, message } of answer.servers) if (message !== '') ctx.out.line(`${name}: ${message}`)
  for (const { name, edge } of answer.servers) if (edge.message !== '') ctx.out.line(`The edge of ${name}: ${edge.message}`)
  for (const line of [answer.message, answer.placing]) if (line !== '') ctx.out.line(line)
  ctx.out.json(answer)
}

function showChecks(ctx: Context, server: Server): void {
  ctx.out.table(
    ['CHECK', 'RESULT', 'FOUND', 'TO DO'],
    server.checks.map(({ check, level, message, toDo }) => [check, level, message, toDo]),
  )
}

const list = command({
  usage: 'servers',
  summary: 'List the servers, and what runs on them',
  async run(ctx) {
    show(ctx, await ctx.api('servers.list'))
  },
})

const outages = command({
  usage: 'servers outages',
  summary: 'List when servers were lost, and how many of their containers ran elsewhere',
  async run(ctx) {
    const { outages: found } = await ctx.api('servers.list')
    ctx.out.table(
      ['SERVER', 'LOST', 'BACK', 'CONTAINERS', 'MOVED'],
      found.map(({ serverName, lostAt, endedAt, containers, moved }) =>
        [serverName, lostAt, endedAt ?? '-', containers, moved].map(String),
      ),
    )
    ctx.out.json(found)
  },
})

const add = command({
  usage: 'servers add',
  summary: 'Print a command that adds a server; for the first one this switches Swarm on, and asks first',
  options: {
    address: { type: 'string', value: 'address', summary: 'the address of this server that the others use, if it has several' },
    ...YES,
  },
  async run(ctx, _args, values) {
    const { adding } = await ctx.api('servers.list')
    for (const line of adding.changes) ctx.out.line(line)
    if (adding.changes.length > 0) await agree(ctx, values['yes'] === true)
    const address = textOf(values, 'address')
    const answer = await ctx.api('servers.add', { consent: true, ...(address === undefined ? {} : { address }) })
    ctx.out.line(`Run this on the new server as root. It works for one server, until ${answer.openUntil}:`)
    ctx.out.line(answer.command)
    ctx.out.line('The servers must reach each other on these ports:')
    for (const line of adding.ports) ctx.out.line(`  ${line}`)
    ctx.out.json(answer)
  },
})

const stopAdding = command({
  usage: 'servers stop-adding',
  summary: 'Make the command that adds a server invalid',
  async run(ctx) {
    const answer = await ctx.api('servers.stopAdding')
    ctx.out.line('The command does not work any more.')
    ctx.out.json(answer)
  },
})

const check = command({
  usage: 'servers check <server>',
  summary: 'Check a server: engine, clock, security, ports and packets; fails if there is a problem',
  async run(ctx, { server: nameOrId }) {
    const server = await ctx.api('servers.check', { serverId: (await findServer(ctx.api, nameOrId)).id })
    showChecks(ctx, server)
    ctx.out.json(server)
    return server.checks.some(({ level }) => level === 'problem') ? 1 : 0
  },
})

async function setAvailability(ctx: Context, nameOrId: string, availability: Availability, done: string): Promise<void> {
  const answer = await ctx.api('servers.update', { serverId: (await findServer(ctx.api, nameOrId)).id, availability })
  ctx.out.line(`${answer.name} ${done}`)
  ctx.out.json(answer)
}

const drain = command({
  usage: 'servers drain <server>',
  summary: 'Move everything away from a server, and start nothing new there',
  async run(ctx, { server }) {
    await setAvailability(ctx, server, 'drain', 'is being drained.')
  },
})

const pause = command({
  usage: 'servers pause <server>',
  summary: 'Start nothing new on a server; what runs there stays',
  async run(ctx, { server }) {
    await setAvailability(ctx, server, 'pause', 'is paused.')
  },
})

const activate = command({
  usage: 'servers activate <server>',
  summary: 'Use a server again',
  async run(ctx, { server }) {
    await setAvailability(ctx, server, 'active', 'is active.')
  },
})

const label = command({
  usage: 'servers label <server> [labels...]',
  summary: 'Set the labels of a server; without any it has none',
  async run(ctx, { server: nameOrId, more }) {
    const answer = await ctx.api('servers.update', { serverId: (await findServer(ctx.api, nameOrId)).id, labels: [...more] })
    ctx.out.line(
      answer.labels.length === 0 ? `${answer.name} has no labels.` : `${answer.name} has the labels ${answer.labels.join(', ')}.`,
    )
    ctx.out.json(answer)
  },
})

const EDGE_SWITCH: Record<string, boolean> = { on: true, off: false }

const edge = command({
  usage: 'servers edge <server> <state>',
  summary: 'Let visitors come in over a server (on), or not any more (off)',
  async run(ctx, { server: nameOrId, state: word }) {
    const isOn = EDGE_SWITCH[word]
    if (isOn === undefined) throw new WrongUsage('Say "on" or "off": berth servers edge <server> on')
    const answer = await ctx.api('servers.update', { serverId: (await findServer(ctx.api, nameOrId)).id, edge: isOn })
    ctx.out.line(
      isOn
        ? `The edge of ${answer.name} is being started. When "berth servers" says that it is on, add ${answer.address} to your DNS.`
        : `The edge of ${answer.name} is switched off. Visitors who still come to ${answer.address} get no answer.`,
    )
    ctx.out.json(answer)
  },
})

const managers = command({
  usage: 'servers managers <servers...>',
  summary: 'Set which servers are managers: one or three; the others become workers',
  async run(ctx, { more }) {
    const serverIds: string[] = []
    for (const nameOrId of more) serverIds.push((await findServer(ctx.api, nameOrId)).id)
    show(ctx, await ctx.api('servers.setManagers', { serverIds }))
  },
})

const remove = command({
  usage: 'servers remove <server>',
  summary: 'Remove a server that is drained or down; asks first',
  options: YES,
  async run(ctx, { server: nameOrId }, values) {
    const { id, name } = await findServer(ctx.api, nameOrId)
    await ctx.prompt.confirm(name, values['yes'] === true)
    const answer = await ctx.api('servers.remove', { serverId: id })
    ctx.out.line(`${name} was removed. Run this there, so that it can join again later: ${answer.command}`)
    ctx.out.json(answer)
  },
})

const turnOff = command({
  usage: 'servers turn-off',
  summary: 'Switch Swarm off again, once only this server is left; asks first',
  options: YES,
  async run(ctx, _args, values) {
    ctx.out.line('Docker on this server leaves Swarm mode, and this server is the only one again. Apps keep running.')
    await agree(ctx, values['yes'] === true)
    show(ctx, await ctx.api('servers.turnOff'))
  },
})

export const servers = [list, outages, add, stopAdding, check, drain, pause, activate, edge, label, managers, remove, turnOff]

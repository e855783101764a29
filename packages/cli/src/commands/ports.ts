import type { AppPort } from '@berth/contract'
import { textOf } from '../arguments.ts'
import { type Context, command, type Values, WrongUsage } from '../command.ts'
import { findApp } from '../find-app.ts'

function show(ctx: Context, ports: AppPort[]): void {
  const stateOf = ({ isOn, isOpen }: AppPort) => (isOpen ? (isOn ? 'open' : 'closes') : isOn ? 'opens' : 'closed')
  if (ports.length === 0) ctx.out.note('No port of the server leads to this app, and its compose file publishes none.')
  else
    ctx.out.table(
      ['SERVICE', 'PORT', 'SERVER PORT', 'ADDRESS', 'STATE'],
      ports.map((one) => [one.service, `${one.port}/${one.protocol}`, String(one.hostPort), one.address, stateOf(one)]),
    )
  if (ports.some(({ isOn, isOpen }) => isOn !== isOpen && (isOn || isOpen))) ctx.out.note('The next deployment opens and closes them.')
  ctx.out.json(ports)
}

const list = command({
  usage: 'services ports <app>',
  summary: 'List the ports of a compose app: those that are open on the server, and those that its file publishes',
  async run(ctx, { app }) {
    const { id: appId } = await findApp(ctx.api, app)
    show(ctx, await ctx.api('stacks.ports', { appId }))
  },
})

function protocolOf(values: Values): { protocol?: 'udp' } {
  return values['udp'] === true ? { protocol: 'udp' } : {}
}

function portOf(text: string, name: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new WrongUsage(`${name} must be a number.`)
  return Number(text)
}

const udp = { type: 'boolean', summary: 'UDP instead of TCP' } as const

const open = command({
  usage: 'services open <app> <service> <port> <server-port>',
  summary: 'Open a port of the server that leads to a service of a compose app, from the next deployment on',
  options: {
    address: { type: 'string', value: 'address', summary: 'the address of the server (default: 127.0.0.1; 0.0.0.0 for everyone)' },
    udp,
  },
  async run(ctx, { app, service, port, 'server-port': hostPort }, values) {
    const { id: appId } = await findApp(ctx.api, app)
    const address = textOf(values, 'address')
    const place = { appId, service, port: portOf(port, 'port'), hostPort: portOf(hostPort, 'server-port'), ...protocolOf(values) }
    show(ctx, await ctx.api('stacks.openPort', { ...place, ...(address !== undefined && { address }) }))
  },
})

const close = command({
  usage: 'services close <app> <service> <port>',
  summary: 'Close a port of the server that leads to a service of a compose app, from the next deployment on',
  options: { udp },
  async run(ctx, { app, service, port }, values) {
    const { id: appId } = await findApp(ctx.api, app)
    show(ctx, await ctx.api('stacks.closePort', { appId, service, port: portOf(port, 'port'), ...protocolOf(values) }))
  },
})

export const servicePorts = [list, open, close]

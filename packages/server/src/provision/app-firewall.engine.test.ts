import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { BUSYBOX_IMAGE, ensureBusybox, openTestEngine } from '../../testing/images/test-images.ts'
import { field, items, text } from '../engine/api/json.ts'
import { createTransport } from '../engine/api/transport.ts'
import { labelsOf } from '../engine/labels.ts'
import { createAppFirewall, removeAppFirewall } from './app-firewall.ts'

const PROBES = 2
/** Of a network for documentation: nobody's. */
const FORGED = '203.0.113.9'
const test = openTestEngine()
const { engine, instance } = test
const transport = createTransport({ address: { socketPath: engineSocketPath() } })
const socket = createSocket('udp4')
let senders: string[] = []
let port = 0
let gateway = ''

beforeAll(async () => {
  await ensureBusybox(engine)
  const bridge = await transport.json({ method: 'GET', path: '/networks/bridge' })
  const subnet = text(field(items(field(bridge, 'IPAM', 'Config'))[0], 'Subnet'))
  gateway = subnet.replace(/0\/\d+$/, '1') // an engine that has just made its bridge does not name it
  socket.on('message', (_, { address }) => void senders.push(address)).bind(0, '0.0.0.0')
  await once(socket, 'listening')
  port = socket.address().port // names the chain too: no other instance has it while the socket is open
})
afterAll(async () => {
  await removeAppFirewall(port)
  socket.close()
  await test[Symbol.asyncDispose]()
})

/**
 * Who the packets come from that a container on the engine's default bridge, where build steps run, sends past its own loopback. It may do what a
 * raw socket can. `traceroute` counts the port up with each probe, so that one of them meets the socket's.
 */
async function sendersTo(target: string, source = ''): Promise<string[]> {
  const as = source === '' ? '' : `-s ${source}`
  const probe = `traceroute -n -i eth0 ${as} -p ${port - PROBES} -m 1 -q ${2 * PROBES} -w 1 ${target}`
  const body = {
    Image: BUSYBOX_IMAGE,
    Cmd: ['sh', '-c', `ip address add ${FORGED}/32 dev eth0; ${probe}`],
    Labels: labelsOf({ instance, kind: 'app', appId: 1 }),
    HostConfig: { CapAdd: ['NET_ADMIN'] },
  }
  senders = []
  const id = text(field(await transport.json({ method: 'POST', path: '/containers/create', body }), 'Id'))
  await transport.json({ method: 'POST', path: `/containers/${id}/start` })
  await transport.json({ method: 'POST', path: `/containers/${id}/wait` })
  await sleep(100) // what has arrived is read
  return [...new Set(senders)]
}

describe('a build step', () => {
  it('reaches nothing on the loopback of the machine and cannot send in the name of another address', async () => {
    const firewall = createAppFirewall({ log: pino({ level: 'silent' }), mode: 'auto' })
    await firewall.ensure(port)
    await firewall.ensure(port) // again and again
    expect(firewall.message()).toBe('')
    expect(await sendersTo('127.0.0.1')).toEqual([])
    expect(await sendersTo(gateway, FORGED)).toEqual([])
    expect(await sendersTo(gateway)).toHaveLength(1) // so packets do arrive
  })
})

import { execFile, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { freePort } from '../../testing/harness/listening.ts'
import { BUSYBOX_IMAGE, ensureBusybox, openTestEngine } from '../../testing/images/test-images.ts'
import { count, field, text } from '../engine/api/json.ts'
import { createTransport } from '../engine/api/transport.ts'
import { labelsOf } from '../engine/labels.ts'
import { createBridgeWall, removeBridgeWall } from './bridge-wall.ts'
import { defaultBridge } from './engine-ping.ts'

const run = promisify(execFile)
const address = { socketPath: engineSocketPath() }
const transport = createTransport({ address })
const test = openTestEngine()
let port = 0
beforeAll(async () => {
  await ensureBusybox(test.engine)
  port = await freePort()
})
afterAll(async () => {
  await removeBridgeWall(port)
  await test[Symbol.asyncDispose]()
})

/** On the default bridge, with the capabilities of a build step. */
async function startContainer() {
  const body = { Image: BUSYBOX_IMAGE, Cmd: ['sleep', '300'], Labels: labelsOf({ instance: test.instance, kind: 'app', appId: 1 }) }
  const id = text(field(await transport.json({ method: 'POST', path: '/containers/create', body }), 'Id'))
  await transport.json({ method: 'POST', path: `/containers/${id}/start` })
  const details = await transport.json({ method: 'GET', path: `/containers/${id}/json` })
  const network = field(details, 'NetworkSettings')
  const hex = (dotted: string) => Buffer.from(dotted.split('.').map(Number)).toString('hex')
  const ip = text(field(network, 'IPAddress'))
  return {
    within: ['--target', String(count(field(details, 'State', 'Pid'))), '--net', 'perl', '-e'],
    ip,
    ipHex: hex(ip),
    gatewayHex: hex(text(field(network, 'Gateway'))),
    mac: text(field(network, 'MacAddress')).replaceAll(':', ''),
  }
}
type Container = Awaited<ReturnType<typeof startContainer>>

// with AF_PACKET, SOCK_RAW and ETH_P_ALL
const SEND = `my ($index, @frames) = @ARGV; socket(my $s, 17, 3, 0) or die $!; my $to = pack('S n i S C C a8', 17, 3, $index, 0, 0, 6, '');
  for (@frames) { defined send($s, pack('H*', $_), 0, $to) or die $! }`
const RECEIVE = `$| = 1; socket(my $s, 17, 3, unpack('S', pack('n', 3))) or die $!; print "ready\\n";
  while (defined recv($s, my $b, 65536, 0)) { print "$1\\n" if $b =~ /berth-probe-(\\w+)/ }`

/** Forged frames that another build step would accept. */
function forgedFrames(from: Container, to: Container): string[] {
  const mark = (name: string) => Buffer.from(`berth-probe-${name}`).toString('hex').padEnd(80, '0')
  const packet = (name: string) => `0800450000400000000040110000${from.gatewayHex}${to.ipHex}1000232800200000${mark(name)}`
  const claim = (name: string) => `08060001080006040002${from.mac}${from.gatewayHex}${to.mac}${to.ipHex}${mark(name)}`
  const [toOne, toAll] = [to.mac, 'ffffffffffff'].map((mac) => `${mac}${from.mac}`)
  return [
    `${toOne}${packet('plain')}`,
    `${toOne}81000000${packet('tagged')}`,
    `${toOne}8100000081000000${packet('twice')}`,
    `${toOne}88a80000${packet('service')}`,
    `${toAll}81000000${packet('all')}`,
    `${toOne}${claim('arp')}`,
    `${toAll}${claim('arpall')}`,
    `${toAll}81000000${claim('arptagged')}`,
  ]
}

async function arrivals(from: Container, to: Container): Promise<string[]> {
  const receiver = spawn('nsenter', [...to.within, RECEIVE], { stdio: ['ignore', 'pipe', 'inherit'] })
  const seen: string[] = []
  for await (const line of createInterface(receiver.stdout)) {
    if (line === 'ready') {
      const index = (await run('nsenter', [...from.within.slice(0, 3), 'ip', '-o', 'link', 'show', 'eth0'])).stdout.split(':')[0] ?? ''
      await run('nsenter', [...from.within, SEND, index, ...forgedFrames(from, to)])
      const socket = createSocket('udp4') // sent last, by the machine itself, over the same bridge
      socket.send('berth-probe-machine', 9000, to.ip, () => socket.close())
    } else seen.push(line)
    if (line === 'machine') break
  }
  receiver.kill('SIGKILL')
  if (receiver.exitCode === null && receiver.signalCode === null) await once(receiver, 'exit')
  return seen
}

it('forged frames of one build step never reach another, and frames of the machine do', async (context) => {
  if ((await defaultBridge(address))?.isIsolated !== true)
    return context.skip('this engine does not isolate the containers on its default bridge')
  const [from, to] = [await startContainer(), await startContainer()]
  const wall = createBridgeWall({ log: pino({ level: 'silent' }), mode: 'auto', engine: address })
  await wall.ensure(port)
  await wall.ensure(port) // may be called repeatedly
  expect(wall.message()).toBe('')
  expect(await arrivals(from, to)).toEqual(['machine'])
})

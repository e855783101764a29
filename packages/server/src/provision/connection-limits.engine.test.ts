import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { BUSYBOX_IMAGE, ensureBusybox, openTestEngine } from '../../testing/images/test-images.ts'
import { count, field, text } from '../engine/api/json.ts'
import { createTransport } from '../engine/api/transport.ts'
import { labelsOf, projectNetworkName } from '../engine/labels.ts'
import { createConnectionLimits, removeConnectionLimits } from './connection-limits.ts'

/** Of a network for documentation: nobody answers, and an attempt stays in the table for a while. */
const NOBODY = { first: '192.0.2.77', second: '192.0.2.78' }
const ATTEMPTS = 300
const run = promisify(execFile)
const test = openTestEngine()
const { engine, instance } = test
const transport = createTransport({ address: { socketPath: engineSocketPath() } })
const reserved = createServer()
let port = 0

beforeAll(async () => {
  await ensureBusybox(engine)
  await engine.networks.ensureProjectNetwork({ instance, projectId: 1 })
  await new Promise<void>((resolve) => void reserved.listen(0, '127.0.0.1', resolve))
  const address = reserved.address()
  port = typeof address === 'object' ? (address?.port ?? 0) : 0 // names the chain; no other instance has it while the socket is open
})
afterAll(async () => {
  await removeConnectionLimits(port)
  reserved.close()
  await test[Symbol.asyncDispose]()
})

/** How many entries of the kernel's table an app gets that connects to many ports at once. */
async function entriesOfAnApp(target: string): Promise<number> {
  const connects = `for p in $(seq 1 ${ATTEMPTS}); do nc -w 1 ${target} $p </dev/null & done; sleep 30`
  const body = {
    Image: BUSYBOX_IMAGE,
    Cmd: ['sh', '-c', connects],
    Labels: labelsOf({ instance, kind: 'app', appId: 1 }),
    HostConfig: { NetworkMode: projectNetworkName(instance, 1) },
  }
  const id = text(field(await transport.json({ method: 'POST', path: '/containers/create', body }), 'Id'))
  await transport.json({ method: 'POST', path: `/containers/${id}/start` })
  const inspected = await transport.json({ method: 'GET', path: `/containers/${id}/json` })
  const address = text(field(inspected, 'NetworkSettings', 'Networks', projectNetworkName(instance, 1), 'IPAddress'))
  let [before, entries] = [-1, 0]
  while (entries === 0 || entries !== before) {
    await sleep(1500)
    const lines = (await readFile('/proc/net/nf_conntrack', 'utf8')).split('\n')
    before = entries
    entries = lines.filter((line) => line.includes(`src=${address} dst=${target} `)).length
  }
  await transport.json({ method: 'DELETE', path: `/containers/${id}?force=true` })
  return entries
}

it('an app that connects to many addresses gets a part of the table of connections', async () => {
  expect(await entriesOfAnApp(NOBODY.first)).toBeGreaterThan(200)
  const limits = createConnectionLimits({ log: pino({ level: 'silent' }), mode: 'auto', tableSize: async () => 1600 })
  await limits.ensure(port)
  await limits.ensure(port) // again and again
  expect(limits.message()).toBe('')
  const entries = await entriesOfAnApp(NOBODY.second)
  expect(entries).toBeGreaterThan(0)
  expect(entries).toBeLessThanOrEqual(200) // an eighth
})

/** UDP over IPv6 from a link-local sender that does not exist, with the checksum that the kernel demands. */
function forgedFrame(bridge: { mac: string; address: Buffer }, sourcePort: number): string {
  const addresses = Buffer.concat([Buffer.from('fe80000000000000', 'hex'), randomBytes(8), bridge.address])
  const datagram = Buffer.from('0000000000080000', 'hex')
  datagram.writeUInt16BE(sourcePort, 0)
  datagram.writeUInt16BE(9, 2)
  const summed = Buffer.concat([addresses, Buffer.from('0000000800000011', 'hex'), datagram])
  let sum = 0
  for (let at = 0; at < summed.length; at += 2) sum += summed.readUInt16BE(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  datagram.writeUInt16BE(~sum & 0xffff, 6)
  return `${bridge.mac}02000000000186dd6000000000081140${addresses.toString('hex')}${datagram.toString('hex')}`
}

// with AF_PACKET, SOCK_RAW and ETH_P_ALL
const SEND = `my $index = shift; socket(my $s, 17, 3, 0) or die $!; my $to = pack('S n i S C C a8', 17, 3, $index, 0, 0, 6, '');
  for (@ARGV) { defined send($s, pack('H*', $_), 0, $to) or die $! }`

/** How many entries a container on the bridge of build steps gets that writes raw frames. */
async function entriesOfFrames(bridge: { mac: string; address: Buffer }, firstPort: number): Promise<number> {
  const body = { Image: BUSYBOX_IMAGE, Cmd: ['sleep', '60'], Labels: labelsOf({ instance, kind: 'app', appId: 1 }) }
  const id = text(field(await transport.json({ method: 'POST', path: '/containers/create', body }), 'Id'))
  await transport.json({ method: 'POST', path: `/containers/${id}/start` })
  const pid = count(field(await transport.json({ method: 'GET', path: `/containers/${id}/json` }), 'State', 'Pid'))
  const within = ['--target', String(pid), '--net']
  const index = (await run('nsenter', [...within, 'ip', '-o', 'link', 'show', 'eth0'])).stdout.split(':')[0] ?? ''
  const frames = Array.from({ length: ATTEMPTS }, (_, each) => forgedFrame(bridge, firstPort + each))
  await run('nsenter', [...within, 'perl', '-e', SEND, index, ...frames])
  await sleep(1000)
  const lines = (await readFile('/proc/net/nf_conntrack', 'utf8')).split('\n')
  await transport.json({ method: 'DELETE', path: `/containers/${id}?force=true` })
  const ports = new Set(Array.from({ length: ATTEMPTS }, (_, each) => String(firstPort + each)))
  return lines.filter((line) => line.startsWith('ipv6') && ports.has(/ sport=(\d+) dport=9 /.exec(line)?.[1] ?? '')).length
}

it('a build step that writes packets over IPv6 with forged senders gets a part of it too', async (context) => {
  const own = networkInterfaces()['docker0']?.find(({ family, scopeid }) => family === 'IPv6' && scopeid !== 0)
  if (own === undefined) return context.skip('the bridge of build steps has no IPv6 here')
  const groups = own.address.slice('fe80::'.length).split(':')
  const address = Buffer.from(`fe80000000000000${groups.map((group) => group.padStart(4, '0')).join('')}`, 'hex')
  const bridge = { mac: own.mac.replaceAll(':', ''), address }
  const limitsFor = (tableSize: number) =>
    createConnectionLimits({ log: pino({ level: 'silent' }), mode: 'auto', tableSize: async () => tableSize })
  await limitsFor(1_000_000).ensure(port) // also makes the kernel track connections over IPv6
  expect(await entriesOfFrames(bridge, 20_000)).toBe(ATTEMPTS)
  await limitsFor(1600).ensure(port)
  const entries = await entriesOfFrames(bridge, 30_000)
  expect(entries).toBeGreaterThan(0)
  expect(entries).toBeLessThan(100)
})

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { kindOfAddress } from '../lib/address-kinds.ts'
import { parseCloneUrl } from './clone-url.ts'
import { RepositoryUnreachable, SourceRefused } from './errors.ts'
import { createSourcePolicy } from './source-policy.ts'

describe('an address', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.9.9.9', 'loopback'],
    ['0.0.0.0', 'loopback'],
    ['0.1.2.3', 'loopback'],
    ['::1', 'loopback'],
    ['::', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['2002:7f00:1::', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.1', 'public'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd12::1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['198.18.0.1', 'private'],
    ['169.254.169.254', 'forbidden'],
    ['::ffff:169.254.169.254', 'forbidden'],
    ['::ffff:a9fe:a9fe', 'forbidden'],
    ['64:ff9b::a9fe:a9fe', 'forbidden'],
    ['2002:a9fe:a9fe::', 'forbidden'],
    ['fe80::1', 'forbidden'],
    ['fe80::1%eth0', 'forbidden'],
    ['fd00:ec2::254', 'forbidden'],
    ['100.100.100.200', 'forbidden'],
    ['224.0.0.1', 'forbidden'],
    ['255.255.255.255', 'forbidden'],
    ['ff02::1', 'forbidden'],
    ['::ffff:0:169.254.169.254', 'forbidden'],
    ['nonsense', 'forbidden'],
  ])('%s is %s', (address, kind) => {
    expect(kindOfAddress(address)).toBe(kind)
  })
})

async function listener() {
  let hits = 0
  const server = createServer((socket) => {
    hits += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo
  return { port, hits: () => hits, [Symbol.asyncDispose]: async () => void server.close() }
}

function url(text: string) {
  const parsed = parseCloneUrl(text)
  if (parsed === null) throw new Error(`not a clone URL: ${text}`)
  return parsed
}

const policy = (options: { privateHosts?: string[]; ownPorts?: number[] } = {}) =>
  createSourcePolicy({ privateHosts: options.privateHosts ?? [], ownPorts: async () => options.ownPorts ?? [], connectTimeoutMs: 2_000 })

describe('the policy of sources', () => {
  it('keeps plain users away from this machine without opening a connection', async () => {
    await using canary = await listener()
    for (const host of ['127.0.0.1', 'localhost', '0', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '127.1']) {
      await expect(policy().admit(url(`http://${host}:${canary.port}/r`), { privileged: false })).rejects.toThrow(SourceRefused)
      await expect(policy().admit(url(`ssh://git@${host}:${canary.port}/r`), { privileged: false })).rejects.toThrow(SourceRefused)
    }
    expect(canary.hits()).toBe(0)
  })

  it('lets admins, and hosts on the list, reach it', async () => {
    await using canary = await listener()
    const there = url(`http://localhost:${canary.port}/r`)
    expect((await policy().admit(there, { privileged: true })).address).toBe('127.0.0.1')
    expect((await policy({ privateHosts: ['localhost'] }).admit(there, { privileged: false })).address).toBe('127.0.0.1')
  })

  it('refuses link-local addresses and our own listeners to everybody', async () => {
    await using canary = await listener()
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '[fe80::1]']) {
      await expect(policy({ privateHosts: ['169.254.169.254'] }).admit(url(`http://${host}/r`), { privileged: true })).rejects.toThrow(
        'never allowed',
      )
    }
    await expect(policy({ ownPorts: [canary.port] }).admit(url(`http://localhost:${canary.port}/r`), { privileged: true })).rejects.toThrow(
      'Berth itself',
    )
    expect(canary.hits()).toBe(0)
  })

  it('keeps file:// for admins', async () => {
    await expect(policy().admit(url('file:///srv/r.git'), { privileged: false })).rejects.toThrow(SourceRefused)
    expect((await policy().admit(url('file:///srv/r.git'), { privileged: true })).address).toBeNull()
  })

  it('says when a host is not found or does not answer', async () => {
    await expect(policy().admit(url('http://no-such-host.invalid/r'), { privileged: true })).rejects.toThrow(RepositoryUnreachable)
    const closed = await listener()
    await closed[Symbol.asyncDispose]()
    await expect(policy().admit(url(`http://127.0.0.1:${closed.port}/r`), { privileged: true })).rejects.toThrow(
      'does not accept connections',
    )
  })
})

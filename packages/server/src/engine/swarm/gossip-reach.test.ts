import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { gossipReach } from './gossip-reach.ts'

it('a port is open, refused, or silent', async () => {
  const server = net.createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one, never a path
  const silent = createSocket('udp4').bind(port, '127.0.0.1')
  await once(silent, 'listening')
  try {
    expect(await gossipReach('127.0.0.1', port)).toEqual({ tcp: 'open', udp: 'silent' })
    expect(await gossipReach('127.0.0.2', port)).toEqual({ tcp: 'refused', udp: 'refused' })
  } finally {
    server.close()
    silent.close()
  }
})

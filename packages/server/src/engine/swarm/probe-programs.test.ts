import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { PROBE } from './probe-programs.ts'

it('the probe says what it reached of what it must not reach', async () => {
  const server = net.createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const open = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  const openUdp = `127.0.0.1:${silent.address().port}/udp`
  try {
    const closed = [open, openUdp, '127.0.0.2:9', '127.0.0.2:9/udp', '192.0.2.1:80'] // nobody answers at the last three
    const env = { PEER: '127.0.0.2', CLOSED: closed.join() }
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROBE], { env })
    expect(JSON.parse(stdout)).toMatchObject({ passes: false, reached: [open, openUdp] })
  } finally {
    server.close()
    silent.close()
  }
})

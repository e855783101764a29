import { execFile } from 'node:child_process'
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
  try {
    const env = { PEER: '127.0.0.2', CLOSED: `${open},127.0.0.2:9,192.0.2.1:80` } // nobody answers at the last two
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROBE], { env })
    expect(JSON.parse(stdout)).toMatchObject({ passes: false, reached: [open] })
  } finally {
    server.close()
  }
})

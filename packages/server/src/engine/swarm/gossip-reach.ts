import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { GOSSIP_PORT } from './ports.ts'

/** `silent`: nothing came back. An open UDP port answers nothing either, like one that is blocked. */
export type Reach = 'open' | 'refused' | 'silent'

const TCP_MS = 3000
const UDP_MS = 1500

/** Looks at the ports over which servers tell each other which container is where. From this process: no container may reach them. */
export async function gossipReach(host: string, port = GOSSIP_PORT): Promise<{ tcp: Reach; udp: Reach }> {
  const [tcp, udp] = await Promise.all([reachTcp(host, port), reachUdp(host, port)])
  return { tcp, udp }
}

async function reachTcp(host: string, port: number): Promise<Reach> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TCP_MS })
    const end = (reach: Reach) => {
      socket.destroy()
      resolve(reach)
    }
    socket.on('connect', () => end('open')).on('timeout', () => end('silent'))
    socket.on('error', () => end('refused'))
  })
}

async function reachUdp(host: string, port: number): Promise<Reach> {
  return await new Promise((resolve) => {
    const socket = createSocket('udp4')
    const end = (reach: Reach) => {
      clearTimeout(timer)
      socket.close()
      resolve(reach)
    }
    const timer = setTimeout(() => end('silent'), UDP_MS)
    socket.on('error', () => end('refused'))
    socket.connect(port, host, () => socket.send('?'))
  })
}

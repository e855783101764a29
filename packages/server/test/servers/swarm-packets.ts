import type { BedNode } from '../../testing/harness/swarm-bed.ts'

/** Sends to the ports of Swarm on each server. Prints what was not refused. */
const PROGRAM = `
const net = require('node:net')
const dgram = require('node:dgram')
const udp = (host, port) => new Promise((resolve) => {
  const socket = dgram.createSocket('udp4')
  const end = (found) => { clearInterval(timer); socket.close(); resolve(found) }
  let tries = 0
  const timer = setInterval(() => (tries += 1) > 20 ? end([host + ':' + port + '/udp']) : socket.send('?', () => {}), 500)
  socket.on('error', () => end([]))
  socket.connect(port, host)
})
const tcp = (host, port) => new Promise((resolve) => {
  const socket = net.connect({ host, port, timeout: 3000 })
  const end = (found) => { socket.destroy(); resolve(found) }
  socket.on('connect', () => end([host + ':' + port])).on('timeout', () => end([host + ':' + port + ' silent'])).on('error', () => end([]))
})
const main = async () => {
  const all = process.argv.slice(1).flatMap((host) => [udp(host, 4789), udp(host, 7946), tcp(host, 2377), tcp(host, 7946)])
  console.log((await Promise.all(all)).flat().join())
}
main()
`

/** What a container in a network on a server reaches of what the engines of all servers say to each other. Nothing answers on UDP. */
export async function swarmReachedFrom(node: BedNode, network: string, addresses: readonly string[]): Promise<string> {
  const images = await node.run('docker', 'image', 'ls', '--filter', 'label=berth.kind=agent', '--format', '{{.Repository}}:{{.Tag}}')
  const [image = ''] = images.split('\n')
  return (await node.run('docker', 'run', '--rm', '--network', network, image, 'node', '-e', PROGRAM, ...addresses)).trim()
}

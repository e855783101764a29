import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { connect, isIPv6, type Socket } from 'node:net'
import { startTestEdge } from '../harness/test-edge.ts'

/** Runs in a network of its own, which has the addresses: see `edge-shares.test.ts`. Each opens many connections; then one visitor comes. */
const { crowd, each, visitor } = JSON.parse(process.argv[2] ?? '') as { crowd: string[]; each: number; visitor: string } // from the test
const app = createServer((_request, response) => response.end('the app')).listen(0, '127.0.0.1')
await once(app, 'listening')
const address = app.address()
if (address === null || typeof address === 'string') throw new Error('no port was given')

await using edge = await startTestEdge({ ipv6: true })
const hosts = [{ host: 'one.test', redirectHttps: false, hsts: false }]
await edge.edge.setRoutes({ apps: [{ appKey: 'a1', hosts, targets: [{ ip: '127.0.0.1', port: address.port }] }] })
const reach = (from: string) => ({ host: isIPv6(from) ? '::1' : '127.0.0.1', port: edge.httpPort, localAddress: from })

/** With an answer, each of them is kept open for a next request. */
function open(from: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(reach(from))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(undefined))
    socket.on('data', () => resolve(socket))
    socket.write('GET / HTTP/1.1\r\nhost: one.test\r\n\r\n')
  })
}

const taken: Record<string, number> = {}
for (const from of crowd) {
  const opened = await Promise.all(Array.from({ length: each }, async () => await open(from)))
  taken[from] = opened.filter((socket) => socket !== undefined).length
}
const asked = request({ ...reach(visitor), headers: { host: 'one.test' }, agent: false, signal: AbortSignal.timeout(10_000) }).end()
const [answer] = (await once(asked, 'response')) as [IncomingMessage] // the event's only argument
process.stdout.write(JSON.stringify({ taken, visitor: answer.statusCode }))
await edge[Symbol.asyncDispose]()
process.exit()

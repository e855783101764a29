// The load: keep-alive connections, one request at a time on each, from a process of its own. Prints one line of JSON.
// It counts bytes instead of parsing answers, so that it costs less than any server it measures.
import { connect, type Socket } from 'node:net'
import { percentile } from './numbers.ts'

export type Load = { url: string; method: string; path: string; headers: Record<string, string>; body: string; connections: number }
export type LoadResult = { requestsPerSecond: number; p50Ms: number; p99Ms: number }

function requestBytes(load: Load, host: string): Buffer {
  const headers = Object.entries({
    Host: host,
    ...load.headers,
    ...(load.body && { 'content-length': String(Buffer.byteLength(load.body)) }),
  })
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.from(`${load.method} ${load.path} HTTP/1.1\r\n${lines}\r\n${load.body}`)
}

/** The length of one whole answer, head included. All answers of a run have it: the body does not change, and ids have one length. */
function answerLength(first: string): number | undefined {
  const head = first.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  if (!first.startsWith('HTTP/1.1 200')) throw new Error(`the server answered: ${first}`)
  return head + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(first)?.[1])
}

function hammer(socket: Socket, request: Buffer, times: number[]): void {
  let length: number | undefined
  let received = 0
  let text = ''
  let sentAt = performance.now()
  socket.setNoDelay(true)
  socket.on('data', (chunk) => {
    received += chunk.length
    if (length === undefined) {
      text += chunk.toString('latin1')
      length = answerLength(text)
    }
    if (length === undefined || received < length) return
    const now = performance.now()
    times.push(now - sentAt)
    received = 0
    sentAt = now
    socket.write(request)
  })
  socket.on('error', (error) => {
    throw error
  })
  socket.write(request)
}

async function run(load: Load, seconds: number): Promise<LoadResult> {
  const { hostname, port, host } = new URL(load.url)
  const request = requestBytes(load, host)
  const times: number[] = []
  const sockets = Array.from({ length: load.connections }, () => connect(Number(port), hostname))
  const begin = performance.now()
  for (const socket of sockets) hammer(socket, request, times)
  await new Promise((done) => setTimeout(done, seconds * 1000))
  const requestsPerSecond = times.length / ((performance.now() - begin) / 1000)
  for (const socket of sockets) socket.destroy()
  return { requestsPerSecond, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }
}

if (import.meta.main) {
  const load = JSON.parse(process.argv[2] ?? '') as Load // written by load.ts
  process.stdout.write(JSON.stringify(await run(load, Number(process.argv[3]))))
}

import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHaproxyRuntime } from '../packages/server/src/edge/haproxy/runtime.ts'
import { createAccessCounts } from '../packages/server/src/edge/traffic/access-counts.ts'
import { startTestEdge } from '../packages/server/testing/harness/test-edge.ts'
import { startBare } from './lib/bare.ts'
import { makeDataDir, remove } from './lib/berth.ts'
import { cpuSeconds, residentMegabytes } from './lib/child.ts'
import { rate } from './lib/load.ts'
import { median, numberFlag, percentile, say, verdict } from './lib/numbers.ts'

const HOST = 'bench.example.test'

/** The target. */
const SMALLEST = { Host: HOST }
/** What a browser sends with a visit: an app spends a good part of each request on reading it, with or without an edge. */
const BROWSER = {
  ...SMALLEST,
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'en-GB,en;q=0.9',
  'Cache-Control': 'max-age=0',
  Cookie: 'session=3f1c2d9a8b7e6f504132a1b0c9d8e7f6; theme=dark',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Site': 'same-origin',
  'Upgrade-Insecure-Requests': '1',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
}

/** Requests per second through the edge as a share of the same app asked directly, in alternating rounds; and the time it adds. */
const rounds = numberFlag('rounds', 60) // of 20 the median is uncertain by 0.03 on a machine that others use too
const seconds = numberFlag('seconds', 1)
const connections = numberFlag('connections', 32)
const dir = makeDataDir()
const app = await startBare(dir, { method: 'GET', path: '/', answer: JSON.stringify({ text: 'x'.repeat(200) }) })
await using edge = await startTestEdge({ repairEveryMs: 3_600_000 })
const port = Number(new URL(app.url).port)
await edge.edge.setRoutes({
  apps: [{ appKey: 'app-1', hosts: [{ host: HOST, redirectHttps: true, hsts: true }], targets: [{ ip: '127.0.0.1', port }] }],
})
const counts = createAccessCounts({ socketPath: edge.paths.socket, now: () => new Date() }) // as in the product, where it is always on
const load = { method: 'GET', path: '/', body: '' }
const ways = { direct: app.url, edge: `http://127.0.0.1:${edge.httpPort}` }

async function ask(url: string, headers: Record<string, string>, length: number): Promise<{ perSecond: number; edgeMicroseconds: number }> {
  const before = cpuSeconds(edge.process.pid())
  const perSecond = await rate({ ...load, headers, url, connections }, length)
  return { perSecond, edgeMicroseconds: ((cpuSeconds(edge.process.pid()) - before) * 1e6) / (perSecond * length) }
}

/** Milliseconds of single requests, one after another on one connection. */
async function times(url: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const taken: number[] = []
  for (let number = 0; number < 3000; number += 1) {
    const begin = performance.now()
    const sent = request(url, { agent, headers: { host: HOST } }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage] // the event's only argument
    await text(response)
    taken.push(performance.now() - begin)
  }
  agent.destroy()
  return taken.slice(1000)
}

/** The edge's share of direct, one for each round. */
async function sharesOf(headers: Record<string, string>): Promise<number[]> {
  const shares: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const isEdgeFirst = round % 2 === 0
    const earlier = await ask(isEdgeFirst ? ways.edge : ways.direct, headers, seconds)
    const later = await ask(isEdgeFirst ? ways.direct : ways.edge, headers, seconds)
    const [through, direct] = isEdgeFirst ? [earlier, later] : [later, earlier]
    shares.push(through.perSecond / direct.perSecond)
    const cost = `${through.edgeMicroseconds.toFixed(1)} µs of the edge each`
    say(
      `  edge ${through.perSecond.toFixed(0)}/s (${cost})  direct ${direct.perSecond.toFixed(0)}/s  share ${(through.perSecond / direct.perSecond).toFixed(3)}`,
    )
  }
  return shares
}

/** HAProxy counts the commands on its socket among its requests, also the one that asks for this. */
async function taken(): Promise<number> {
  return Number((await createHaproxyRuntime({ socketPath: edge.paths.socket }).info()).get('CumReq'))
}

try {
  const before = await taken()
  say(`${connections} connections kept open, ${rounds} rounds of ${seconds} s each`)
  await ask(ways.direct, SMALLEST, 2)
  await ask(ways.edge, SMALLEST, 2)
  say('with the headers of a browser')
  const visits = await sharesOf(BROWSER)
  say('with no header but the host')
  const smallest = await sharesOf(SMALLEST)
  const [direct, through] = [await times(ways.direct), await times(ways.edge)]
  const added = (share: number) => (percentile(through, share) - percentile(direct, share)).toFixed(2)
  say(`added time: p50 ${added(0.5)} ms, p99 ${added(0.99)} ms (one connection)`)
  say(`memory of the edge: ${residentMegabytes(edge.process.pid()).toFixed(0)} MB`)
  await sleep(1500) // the reader of the counts rests between two reads
  say(`requests counted: ${counts.snapshot('app-1').requests} of ${(await taken()) - before - 1}`)
  verdict('throughput of the edge as a share of direct, asked as a browser asks', median(visits), { atLeast: 0.6 })
  verdict('the same of the smallest request there is', median(smallest), { atLeast: 0.6 })
} finally {
  counts.close()
  await app.stop()
  remove(dir)
}

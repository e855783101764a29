import type { EdgeApp, EdgeRoutes } from '../packages/server/src/edge/edge.ts'
import { startTestEdge } from '../packages/server/testing/harness/test-edge.ts'
import { residentMegabytes } from './lib/child.ts'
import { median, numberFlag, percentile, say, verdict } from './lib/numbers.ts'

/** How long a switch and a new domain take with ten thousand domains, against ten. */
const rounds = numberFlag('rounds', 30)
const SIZES = { few: 10, many: numberFlag('domains', 10_000) }

function appOf(number: number, release: number): EdgeApp {
  const hosts = [{ host: `app-${number}.example.test`, redirectHttps: true, hsts: true }]
  return {
    appKey: `app-${number}`,
    hosts,
    targets: [{ ip: `10.224.${(number >> 8) & 255}.${number & 255}`, port: 3000 + (release % 1000) }],
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

async function run(size: number): Promise<{ switchMs: number; domainMs: number }> {
  await using edge = await startTestEdge()
  const apps = Array.from({ length: size }, (_, index) => appOf(index, 0))
  const first = await timed(async () => await edge.edge.setRoutes({ apps }))
  const switches: number[] = []
  const additions: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const routes: EdgeRoutes = { apps: apps.with(0, appOf(0, round)) }
    switches.push(await timed(async () => await edge.edge.setRoutes(routes)))
    additions.push(await timed(async () => await edge.edge.setRoutes({ apps: [...routes.apps, appOf(size + round, 0)] })))
  }
  const words = (times: number[]) => `p50 ${median(times).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`
  say(
    `${size} domains: all at once ${first.toFixed(0)} ms; a switch ${words(switches)}; a domain ${words(additions)}; edge ${residentMegabytes(edge.process.pid()).toFixed(0)} MB`,
  )
  return { switchMs: median(switches), domainMs: median(additions) }
}

const few = await run(SIZES.few)
const many = await run(SIZES.many)
say(
  `${SIZES.many} against ${SIZES.few} domains: a switch takes ${(many.switchMs / few.switchMs).toFixed(1)} times as long, a new domain ${(many.domainMs / few.domainMs).toFixed(1)} times`,
)
verdict(`milliseconds for a switch with ${SIZES.many} domains`, many.switchMs, { atMost: 250 })

import { execFile } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { resourcesOf } from '../packages/server/testing/harness/process-resources.ts'
import { dockerfile, openDeployLab } from '../packages/server/testing/labs/deploy-lab.ts'
import { productCommand } from './lib/berth.ts'
import { pinnedNode } from './lib/child.ts'
import { median, numberFlag, say, verdict } from './lib/numbers.ts'
import type { StreamRequest, StreamResult } from './lib/stream-client.ts'

/** A build that prints a lot while many sockets listen: how late the lines are, what they cost, and whether the build is slower for it. */
const sockets = numberFlag('sockets', 100)
const perSecond = numberFlag('lines', 10_000)
const seconds = numberFlag('seconds', 10)
const rounds = numberFlag('rounds', 3)

const batch = Math.max(1, Math.round(perSecond / 10))
// Short lines: the engine leaves out what one step prints beyond 200 KiB a second or 2 MiB in all.
const print = `awk -v t="$t" 'BEGIN { for (i = 0; i < ${batch}; i++) printf "t%s x\\n", t }'`
const files = (note: string) => ({
  Dockerfile: dockerfile(
    [`RUN : ${note}; n=0; while [ $n -lt ${seconds * 10} ]; do read t rest < /proc/uptime; ${print}; n=$((n + 1)); sleep 0.08; done`],
    'sleep 1000',
  ),
})

const { environment } = await productCommand() // memory is part of the figure
await using lab = await openDeployLab({ runs: 'as a process', env: { ...environment, NODE_OPTIONS: '--max-semi-space-size=2' } })
const app = await lab.createApp(files('first'), { appType: 'service', port: null })
const client = path.join(import.meta.dirname, 'lib/stream-client.ts')

async function build(listeners: number): Promise<{ seconds: number; lines: number; memoryMb: number; seen: StreamResult | undefined }> {
  await app.repository.commit({ files: files(`at ${Date.now()}`) })
  let [isOver, memoryMb] = [false, 0]
  const weighing = (async () => {
    while (!isOver) {
      memoryMb = Math.max(memoryMb, (await resourcesOf(lab.berth.pid())).memoryMb)
      await sleep(100)
    }
  })()
  const begin = performance.now()
  const id = await lab.add(app.id)
  const request: StreamRequest = {
    url: lab.berth.baseUrl,
    path: `/ws/deployment/logs?deploymentId=${id}`,
    cookie: lab.owner.cookie,
    sockets: listeners,
  }
  const listening = listeners === 0 ? undefined : promisify(execFile)(pinnedNode, [client, JSON.stringify(request)])
  const { status, error_message } = await lab.ended(id, 300_000)
  const took = (performance.now() - begin) / 1000
  if (status !== 'success') throw new Error(`the deployment is ${status}: ${error_message}`)
  const seen = listening && (JSON.parse((await listening).stdout) as StreamResult) // what the client prints
  isOver = true
  await weighing
  return { seconds: took, lines: (await lab.log(id)).split('\n').length - 1, memoryMb, seen }
}

say(`${perSecond} lines a second for ${seconds} s, ${sockets} sockets, ${rounds} rounds`)
await build(0)
const before = await resourcesOf(lab.berth.pid())
const ratios: number[] = []
for (let turn = 0; turn < rounds; turn += 1) {
  const alone = await build(0)
  const heard = await build(sockets)
  ratios.push(heard.seconds / alone.seconds)
  const { seen } = heard
  if (!seen) throw new Error('nobody listened')
  say(
    `  alone ${alone.seconds.toFixed(1)} s and ${alone.memoryMb.toFixed(0)} MB, heard ${heard.seconds.toFixed(1)} s and ${heard.memoryMb.toFixed(0)} MB; ` +
      `${heard.lines} lines, each socket got ${seen.fewest} to ${seen.most}, ${seen.gaps} gaps, ${seen.closed} of ${sockets} closed in order; ` +
      `lag p50 ${seen.lagP50Ms.toFixed(0)} ms, p99 ${seen.lagP99Ms.toFixed(0)} ms, most ${seen.lagMaxMs.toFixed(0)} ms`,
  )
}
await sleep(60_000) // time for the memory to be given back
const after = await resourcesOf(lab.berth.pid())
say(
  `open files ${before.files} before, ${after.files} after; memory ${before.memoryMb.toFixed(0)} MB before, ${after.memoryMb.toFixed(0)} MB after`,
)
verdict('time of a build that is listened to against one that is not', median(ratios), { atMost: 1.1 })

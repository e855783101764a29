import { setTimeout as sleep } from 'node:timers/promises'
import { startBrowserLab } from '../e2e/browser-lab.ts'
import { ended } from '../e2e/wait.ts'
import { BUSYBOX_IMAGE } from '../packages/server/testing/images/test-images.ts'
import { numberFlag, percentile, say, verdict } from './lib/numbers.ts'

/**
 * The log of a container in a real browser: how a tab keeps up while lines come fast, and how smoothly a long log scrolls.
 * The baseline is the same tab when nothing happens, because a browser without a graphics card does not always draw 60 frames.
 */
const wanted = numberFlag('lines', 100_000)
const perSecond = numberFlag('rate', 2_000)
const scrollSeconds = numberFlag('seconds', 8)

/** Twenty bursts a second, each at its own time, so that the rate holds on a busy machine too. */
const PRINT = [
  'read up _ < /proc/uptime; begin=$(( ${up%.*} * 100 + 1${up#*.} - 100 )); n=0',
  `while [ $n -lt ${Math.ceil(wanted * 1.05)} ]; do`,
  `  seq $((n + 1)) $((n + ${perSecond / 20})) | sed "s|.*|2026-01-01T12:00:00Z \\x1b[32minfo\\x1b[0m request & GET /articles/&?page=2 status=200 bytes=5120 took=12ms|"`,
  `  n=$((n + ${perSecond / 20}))`,
  '  read up _ < /proc/uptime; now=$(( ${up%.*} * 100 + 1${up#*.} - 100 ))',
  `  wait=$(( begin + n * 100 / ${perSecond} - now ))`,
  '  [ $wait -gt 0 ] && usleep $((wait * 10000))',
  'done',
  '',
].join('\n')
const FILES = {
  'print.sh': PRINT,
  // It waits for the first visitor, so that the page is there before the first line.
  Dockerfile: [
    `FROM ${BUSYBOX_IMAGE}`,
    'COPY print.sh /print.sh',
    'CMD (while [ ! -e /tmp/go ]; do usleep 100000; done; sh /print.sh) & (sleep 12; touch /tmp/go) & exec httpd -f -p "$PORT" -h /www',
    '',
  ].join('\n'),
}

const WATCH = `(() => {
  const seen = { frames: [], tasks: [], events: [], last: performance.now() }
  window.seen = seen
  const draw = (now) => { seen.frames.push(now - seen.last); seen.last = now; requestAnimationFrame(draw) }
  requestAnimationFrame(draw)
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) seen.tasks.push(duration) }).observe({ type: 'longtask' })
  new PerformanceObserver((list) => {
    for (const { duration, interactionId } of list.getEntries()) if (interactionId > 0) seen.events.push(duration)
  }).observe({ type: 'event', durationThreshold: 16 })
})()`
const RESET = 'Object.assign(window.seen, { frames: [], tasks: [], events: [] })'
const COUNT = `Number((document.body.innerText.match(/^([\\d,]+) lines?/m) ?? ['', '0'])[1].replaceAll(',', ''))`
type Seen = { frames: number[]; tasks: number[]; events: number[] }

type Figures = { perSecond: number; longestTaskMs: number; busy: number }

/** Processor seconds of all pages, all threads: on a machine that does other work too it is steadier than frames are. */
async function cpuSeconds(): Promise<number> {
  const session = await lab.browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0)
}

/** Watches the page while `work` goes on. */
async function during(name: string, work: () => Promise<unknown>): Promise<Figures> {
  await page.evaluate(RESET)
  const before = await cpuSeconds()
  await work()
  const used = (await cpuSeconds()) - before
  const { frames, tasks, events } = await page.evaluate<Seen>('window.seen')
  const total = frames.reduce((sum, gap) => sum + gap, 0) / 1000
  const figures = { perSecond: frames.length / total, longestTaskMs: Math.max(0, ...tasks), busy: used / total }
  const gaps = `gap p50 ${percentile(frames, 0.5).toFixed(1)}, p99 ${percentile(frames, 0.99).toFixed(1)}, longest ${Math.max(...frames).toFixed(0)} ms`
  const long = `${tasks.length} tasks over 50 ms, longest ${figures.longestTaskMs.toFixed(0)} ms`
  const answers = `slowest answer to a click or key ${Math.max(0, ...events).toFixed(0)} ms`
  say(`${name}: ${figures.perSecond.toFixed(1)} frames/s over ${total.toFixed(1)} s, ${(figures.busy * 100).toFixed(0)} % of a core`)
  say(`  ${gaps}; ${long}; ${answers}`)
  return figures
}

/** From outside, because the page's CSP forbids evaluating code in it. */
async function untilThereAre(lines: number): Promise<void> {
  const deadline = performance.now() + 180_000
  while ((await page.evaluate<number>(COUNT)) < lines) {
    if (performance.now() > deadline) throw new Error(`${await page.evaluate<number>(COUNT)} lines after three minutes`)
    await sleep(200)
  }
}

await using lab = await startBrowserLab()
const owner = await lab.berth.owner()
const repository = await lab.git.createRepository({ files: FILES })
const project = await owner.call('projects.create', { name: 'Talkative' })
const app = await owner.call('apps.create', { name: 'talker', projectId: project.id, gitCloneUrl: repository.url })
const page = await lab.signedIn()
await page.goto(`/apps/${app.id}`)
await page.getByRole('button', { name: 'Deploy', exact: true }).click()
await ended(page, 'Live')
await page.getByRole('link', { name: 'Logs' }).click()
await page.getByRole('region', { name: 'Log' }).waitFor()
await page.evaluate(WATCH)
await sleep(2000)
const idle = await during('nothing happens', async () => await sleep(4000))

await untilThereAre(1)
const begin = performance.now()
const from = await page.evaluate<number>(COUNT)
const stream = await during(`a stream of ${perSecond} lines/s`, async () => {
  for (let press = 0; press < 20; press += 1) {
    await page.getByRole('button', { name: 'Show timestamps' }).click() // somebody uses the page meanwhile
    await sleep(1000)
  }
})
const arrived = ((await page.evaluate<number>(COUNT)) - from) / ((performance.now() - begin) / 1000)
say(`  ${arrived.toFixed(0)} lines/s arrived`)

await untilThereAre(wanted)
await sleep(3000)
const lines = await page.evaluate<number>(COUNT)
await page.getByRole('region', { name: 'Log' }).hover()
const scroll = await during(`scrolling ${lines} lines`, async () => {
  const until = performance.now() + scrollSeconds * 1000
  // A wheel that turns without a pause, up through the log and down again.
  for (let turn = 0; performance.now() < until; turn += 1) {
    await page.mouse.wheel(0, Math.floor(turn / 120) % 2 === 0 ? -400 : 400)
    await sleep(8)
  }
})
await during(`searching ${lines} lines`, async () => {
  await page.getByLabel('Search logs').pressSequentially('request 77', { delay: 150 })
  await page.getByText(/^[\d,]+ match(es)? in [\d,]+ lines/).waitFor()
})

verdict('frames while a log scrolls, as a share of an idle tab', scroll.perSecond / idle.perSecond, { atLeast: 0.95 })
verdict('frames while lines stream, as a share of an idle tab', stream.perSecond / idle.perSecond, { atLeast: 0.9 })
verdict('longest task while lines stream, ms', stream.longestTaskMs, { atMost: 100 })
verdict('share of a core that the tab needs for the stream', stream.busy, { atMost: 0.5 })

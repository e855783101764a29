import { mkdir, mkdtempDisposable } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { startBrowserLab } from '../e2e/browser-lab.ts'
import { startGitHost } from '../packages/server/testing/git-host/start-git-host.ts'
import { startImageRegistry } from '../packages/server/testing/harness/image-registry.ts'
import { steadily } from '../packages/server/testing/harness/retry-navigation.ts'
import { ensureNodeBase } from '../packages/server/testing/images/base-images.ts'
import { makeCrowd } from './dashboard-crowd.ts'
import { makePlaces } from './dashboard-places.ts'
import { shotsOf, type World } from './dashboard-shots.ts'
import type { Shot } from './dashboard-states.ts'
import { makeWorld } from './dashboard-world.ts'
import { say } from './lib/numbers.ts'

/**
 * Takes pictures of every page of the dashboard as `npm run build` left it, with a real server and real apps: `--into=<directory>
 * --only=<names>`. With `--again` it then reads lines of names, takes those again and goes on until the end of the input, so that a page
 * can be changed, built and looked at without making everything again.
 */
const flag = (name: string): string | undefined => process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
const into = flag('into') ?? '/tmp/berth-pictures'
const only = flag('only')
const isRepeated = process.argv.includes('--again')

const LOOKS = [
  { name: 'light-desktop', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark-desktop', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'light-phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'dark-phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

/** Plots fill slowly, and a failing request is retried before it is given up. */
const SETTLE_MS: Record<string, number> = {
  overview: 40_000,
  project: 30_000,
  app: 30_000,
  database: 20_000,
  'apps-error': 8000,
  'deployments-error': 8000,
  services: 10_000,
  'stack-logs': 10_000,
  'logs-processes': 10_000,
  'app-processes': 20_000,
}
const AT_ONCE = 4

/** The build writes the version in; a server from the sources finds it where it would be. */
const { version } = createRequire(import.meta.url)('../package.json') as { version: string } // our own file
const asReleased = `data:text/javascript,${encodeURIComponent(`globalThis.__BERTH_VERSION__='${version}'`)}`

/** On a disk, where the tests have it in memory: its size is shown. */
await using folder = await mkdtempDisposable(path.join(tmpdir(), 'berth-pictures-'))
await using host = await startGitHost('github')
await using registry = await startImageRegistry()
const env = { ...host.env, BERTH_PRIVATE_SOURCES: `localhost,127.0.0.1,${registry.address}`, NODE_OPTIONS: `--import=${asReleased}` }
await using lab = await startBrowserLab({ withEdge: true, dataDir: folder.path, env })
await using _nodeBase = await ensureNodeBase(lab.engine, 22)
const member = await lab.berth.as('lena')

async function makeAll(): Promise<World> {
  const world = await makeWorld(lab)
  const places = await makePlaces(lab, { host, registry }, world.project.id)
  return { ...world, ...places, ...(await makeCrowd(lab, world.articlesRelease)) }
}

/** One at a time: of a page behind another the browser may still hold the tiles of its former size. */
let camera = Promise.resolve()

async function photograph(page: Page, file: string): Promise<void> {
  await page.bringToFront()
  // A dialog lies over what is in sight, and so does what the keyboard has scrolled to.
  if (await page.evaluate<boolean>('document.querySelector("dialog[open]") !== null || scrollY > 0')) {
    await page.screenshot({ path: file })
    return
  }
  const height = await page.evaluate<number>('Math.min(document.documentElement.scrollHeight, 2600)')
  const { width } = page.viewportSize() ?? { width: 1280 }
  await page.screenshot({ path: file, clip: { x: 0, y: 0, width, height: Math.max(height, 844) }, fullPage: true })
}

const IS_LOADED = 'document.querySelector("main") !== null && document.querySelector("[data-loading]") === null'

/** On a busy machine a page needs longer than one waits for its figures. What never loads is pictured as it is. */
async function untilLoaded(page: Page): Promise<void> {
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline && !(await page.evaluate<boolean>(IS_LOADED))) await sleep(250)
}

async function take(context: BrowserContext, look: string, { name, path: address, before, after }: Shot): Promise<void> {
  const page = await context.newPage()
  try {
    await before?.(page)
    await steadily(async () => await page.goto(address))
    if (!name.endsWith('-loading')) await untilLoaded(page)
    await sleep(SETTLE_MS[name] ?? 3000)
    // The menu is a button on a phone only.
    await after?.(page).catch((cause: unknown) => say(`${look} ${name}: ${String(cause).split('\n')[0]}`))
    if (after) await sleep(2500)
    const photo = camera.then(async () => await photograph(page, `${into}/${look}/${name}.png`))
    camera = photo.catch(() => undefined)
    await photo
  } finally {
    await page.close()
  }
}

/** A busy machine drops navigations. One picture that is missing must not end the others. */
async function takeSurely(context: BrowserContext, look: string, shot: Shot): Promise<void> {
  for (let tries = 1; tries <= 3; tries += 1) {
    try {
      await take(context, look, shot)
      return
    } catch (cause) {
      say(`${look} ${shot.name}: ${String(cause).split('\n')[0]}`)
    }
  }
}

async function pictures(cookieOwner: { email: string; password: string } | undefined, shots: readonly Shot[], names = only): Promise<void> {
  const wanted = shots.filter(({ name }) => names === undefined || names.split(',').includes(name))
  if (wanted.length === 0) return
  for (const { name: look, ...options } of LOOKS) {
    await mkdir(`${into}/${look}`, { recursive: true })
    const context = await lab.browser.newContext({ ...options, baseURL: lab.berth.baseUrl, reducedMotion: 'reduce' })
    if (cookieOwner !== undefined)
      await context.request.post('/api/auth/login', { data: cookieOwner, headers: { origin: lab.berth.baseUrl } })
    const waiting = [...wanted]
    const work = async (): Promise<void> => {
      for (let shot = waiting.shift(); shot !== undefined; shot = waiting.shift()) await takeSurely(context, look, shot)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    await context.close()
    say(`${look}: done`)
  }
}

const OWNER = { email: 'owner@example.test', password: 'owner-password-1' }
const MEMBER = { email: member.email, password: 'a-good-password' }
const strangers: Shot[] = [
  { name: 'login', path: '/login' },
  { name: 'setup', path: '/setup#token=abc' },
  { name: 'join', path: '/join#token=abc&email=new@example.test' },
]
await pictures(undefined, strangers)
await pictures(OWNER, [
  { name: 'overview-empty', path: '/' },
  { name: 'projects-empty', path: '/projects' },
])
const shots = shotsOf(await makeAll())
say('the world is made')
const ofMembers: Shot[] = [
  { name: 'member-overview', path: '/' },
  { name: 'member-admin', path: '/admin/users' },
]
await pictures(MEMBER, ofMembers)
await pictures(OWNER, shots)
if (isRepeated)
  for await (const names of createInterface(process.stdin)) {
    await pictures(undefined, strangers, names)
    await pictures(MEMBER, ofMembers, names)
    await pictures(OWNER, shots, names)
    say(`again: ${names}`)
  }

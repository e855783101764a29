import { type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Engine } from '../packages/server/src/engine/engine.ts'
import { pulledImagesOf } from '../packages/server/src/engine/image-names.ts'
import { LABEL } from '../packages/server/src/engine/labels.ts'
import { removeFirewalls } from '../packages/server/src/provision/firewalls.ts'
import { startGitServer } from '../packages/server/testing/harness/git-server.ts'
import { freePort } from '../packages/server/testing/harness/listening.ts'
import { steadily } from '../packages/server/testing/harness/retry-navigation.ts'
import { OWNER, startTestServer, type TestServerOptions } from '../packages/server/testing/harness/start-test-server.ts'
import { CHROMIUM } from '../packages/server/testing/harness/trusting-browser.ts'
import { ensureBusybox, openTestEngine } from '../packages/server/testing/images/test-images.ts'
import { readRows } from '../packages/server/testing/labs/deploy-lab.ts'
import { untilItWorks } from '../packages/server/testing/labs/edge-lab.ts'
import { press } from './wait.ts'

export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
const SHORT_WAITS = { stabilityMs: 1000, drainMs: 2000, reconcileMs: 3000, gitHooksMs: 500 }

type LabOptions = Pick<TestServerOptions, 'owner' | 'env' | 'dataDir'> & { withEdge?: boolean }

/** A real browser against the real product: server, engine, git and, where asked for, the edge. */
export async function startBrowserLab(options: LabOptions = {}) {
  const { engine } = openTestEngine()
  await ensureBusybox(engine)
  // In reverse order, each whatever became of the others: a rule of the firewall that stays would break the suites after this one.
  await using cleanUp = new AsyncDisposableStack()
  const git = cleanUp.use(await startGitServer())
  const edgePort = await freePort()
  const port = await freePort()
  if (options.withEdge === true) cleanUp.defer(async () => await removeFirewalls(port))
  const berth = await startTestServer({
    runs: 'as a process',
    owner: options.owner ?? 'by environment',
    tuning: SHORT_WAITS,
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    env: {
      DOCKER_HOST: 'unix:///var/run/docker.sock',
      PORT: String(port),
      BERTH_PROVISION: options.withEdge ? 'auto' : 'off',
      BERTH_EDGE_HTTP_PORT: String(edgePort),
      BERTH_EDGE_HTTPS_PORT: String(await freePort()),
      ...options.env,
    },
  })
  const [fact] = readRows<{ value: string }>(berth.dataDir, "select value from fact where name = 'instance_id'")
  if (fact !== undefined) cleanUp.defer(async () => await untilItWorks(async () => await removeFromEngine(engine, fact.value)))
  cleanUp.use(berth)
  const browser = cleanUp.adopt(
    await chromium.launch({ executablePath: CHROMIUM, args: FLAGS }),
    async (launched) => await launched.close(),
  )
  const problems: string[] = []

  /** A visitor of their own: what one does, another sees only through the server. They accept the certificate of a git host of the tests. */
  async function visitor(
    size: { width: number; height: number } = { width: 1280, height: 900 },
  ): Promise<{ page: Page; context: BrowserContext }> {
    const context = await browser.newContext({ viewport: size, baseURL: berth.baseUrl, ignoreHTTPSErrors: true })
    context.setDefaultTimeout(30_000)
    const page = await context.newPage()
    page.on('pageerror', (error) => problems.push(error.message))
    const goto = page.goto.bind(page)
    page.goto = async (url, how) => await steadily(async () => await goto(url, how))
    reloadIfEmpty(page)
    return { page, context }
  }

  async function signedIn(email: string = OWNER.email, password: string = OWNER.password): Promise<Page> {
    const { page } = await visitor()
    await page.goto('/login')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await press(page.getByRole('button', { name: 'Log in' }), page.getByRole('navigation'))
    return page
  }

  const owned = cleanUp.move()
  return {
    berth,
    git,
    engine,
    browser,
    visitor,
    signedIn,
    edgePort,
    problems,
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  }
}

/** A container that comes or goes may cost a browser the script of a page that has just been opened, and nothing would ever appear on it. */
function reloadIfEmpty(page: Page): void {
  page.on('requestfailed', (request) => {
    if (request.resourceType() !== 'script' || request.failure()?.errorText !== 'net::ERR_NETWORK_CHANGED') return
    const reloaded = page
      .locator('#root:empty')
      .waitFor({ state: 'attached', timeout: 1000 })
      .then(async () => await steadily(async () => await page.reload()))
    reloaded.catch(() => undefined) // there is something on it, or it was closed
  })
}

/** Apps outlive the server that made them, and so does the edge. */
export async function removeFromEngine(engine: Engine, instance: string): Promise<void> {
  const labels = { [LABEL.instance]: instance }
  for (const { id } of await engine.containers.list({ labels })) await engine.containers.remove(id)
  for (const { name } of await engine.networks.list({ labels })) await engine.networks.remove(name)
  for (const { name } of await engine.volumes.list({ labels })) await engine.volumes.remove(name)
  for (const image of await engine.images.list({ labels })) for (const tag of image.tags) await engine.images.remove(tag)
  for (const name of await engine.images.names(pulledImagesOf(instance))) await engine.images.remove(name)
}

export type BrowserLab = Awaited<ReturnType<typeof startBrowserLab>>

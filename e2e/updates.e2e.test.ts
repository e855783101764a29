import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { removeFirewalls } from '../packages/server/src/provision/firewalls.ts'
import { type GitServer, startGitServer } from '../packages/server/testing/harness/git-server.ts'
import { type InstalledBerth, installBerth } from '../packages/server/testing/harness/installed-berth.ts'
import { freePort } from '../packages/server/testing/harness/listening.ts'
import { type ReleaseFeed, startReleaseFeed } from '../packages/server/testing/harness/release-feed.ts'
import { OWNER } from '../packages/server/testing/harness/start-test-server.ts'
import { createTestReleases, FAILS_HEALTH, FIRST_VERSION, type TestReleases } from '../packages/server/testing/harness/test-releases.ts'
import { CHROMIUM } from '../packages/server/testing/harness/trusting-browser.ts'
import { ensureBusybox, httpdApp, openTestEngine } from '../packages/server/testing/images/test-images.ts'
import { readRows } from '../packages/server/testing/labs/deploy-lab.ts'
import { FLAGS, removeFromEngine } from './browser-lab.ts'
import { visit } from './visit.ts'
import { press, shown } from './wait.ts'

const { engine } = openTestEngine()
const HOST = 'shop.example.test'
const BODY = 'open all day'
const VISIT_EVERY_MS = 50
let directory: string
let releases: TestReleases
let feed: ReleaseFeed
let git: GitServer
let berth: InstalledBerth
let browser: Browser
let page: Page
let edgePort: number

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-updates-e2e-'))
  ;[releases, git, browser] = await Promise.all([
    createTestReleases(directory),
    startGitServer(),
    chromium.launch({ executablePath: CHROMIUM, args: FLAGS }),
    ensureBusybox(engine),
  ])
  feed = await startReleaseFeed(releases.feed)
  berth = await installBerth({ directory, archive: releases.archive, feed: feed.url, key: releases.publicKey })
  edgePort = await freePort()
  const env = {
    DOCKER_HOST: 'unix:///var/run/docker.sock',
    BERTH_PROVISION: 'auto',
    BERTH_EDGE_HTTP_PORT: String(edgePort),
    BERTH_EDGE_HTTPS_PORT: String(await freePort()),
    BERTH_PRIVATE_SOURCES: '127.0.0.1',
  }
  await berth.start(env, { updateStartMs: 100_000 }) // a busy machine makes a good version slow, not bad
  await berth.logIn()
  page = await (await browser.newContext({ baseURL: berth.url })).newPage()
  await page.goto('/login')
  await page.getByLabel('Email').fill(OWNER.email)
  await page.getByLabel('Password', { exact: true }).fill(OWNER.password)
  await press(page.getByRole('button', { name: 'Log in' }), page.getByRole('navigation'))
})
afterAll(async () => {
  await browser.close()
  const [fact] = readRows<{ value: string }>(berth.dataDir, "select value from fact where name = 'instance_id'")
  await berth[Symbol.asyncDispose]()
  await feed.close()
  await git[Symbol.asyncDispose]()
  if (fact !== undefined) await removeFromEngine(engine, fact.value)
  await removeFirewalls(Number(new URL(berth.url).port))
  await rm(directory, { recursive: true, force: true })
})

async function deployShop(): Promise<void> {
  const repository = await git.createRepository({ files: httpdApp({ body: BODY }) })
  const project = await berth.call('projects.create', { name: 'Shop' })
  const app = await berth.call('apps.create', { name: 'Shop', projectId: project.id, gitCloneUrl: repository.url })
  await berth.call('domains.create', { appId: app.id, domain: HOST })
  await berth.call('deployments.create', { appId: app.id })
  await berth.until(async () => (await visit(edgePort, HOST).catch(() => '')).includes(BODY), 'the app serves')
}

/** Visitors who come all the time, and what they got that is not the app. */
function startVisits() {
  const lost: string[] = []
  let count = 0
  let isOver = false
  const visiting = (async () => {
    while (!isOver) {
      const body = await visit(edgePort, HOST).catch((cause: unknown) => String(cause))
      count += 1
      if (!body.includes(BODY)) lost.push(body)
      await sleep(VISIT_EVERY_MS)
    }
  })()
  return async () => {
    isOver = true
    await visiting
    return { count, lost }
  }
}

async function updateFromButton(): Promise<void> {
  await page.goto('/')
  await page.getByRole('link', { name: 'Update available' }).first().click()
  await press(page.getByRole('button', { name: 'Update', exact: true }), page.getByRole('dialog'))
  await page.getByRole('dialog').getByRole('button', { name: 'Update' }).click()
  await shown(page.getByText(/^Updating Berth/))
}

const footer = (version: string) => page.getByRole('contentinfo').getByText(`Berth ${version}`)

it('an update is followed from the button to the new version in the footer, and one that returned is explained; no visitor notices', async () => {
  await deployShop()
  const endVisits = startVisits()
  await releases.publish('70.1.0')
  await updateFromButton()
  const end = page.getByText(/^(Berth was updated to 70\.1\.0|The update to Berth 70\.1\.0 failed)\./)
  await shown(end)
  expect(await end.first().innerText()).toContain('was updated') // or why not
  await shown(footer('70.1.0'))

  await releases.publish('70.2.0', { first: FAILS_HEALTH, migrations: 2 })
  await updateFromButton()
  await shown(page.getByText(/The update to Berth 70\.2\.0 failed\. Berth 70\.1\.0 is still running\. Berth 70\.2\.0 is not healthy/))
  await shown(footer('70.1.0'))
  await page.getByText('Earlier updates').click()
  await shown(page.getByText(`${FIRST_VERSION} → 70.1.0`))

  const { count, lost } = await endVisits()
  expect(lost).toEqual([])
  expect(count).toBeGreaterThan(20)
})

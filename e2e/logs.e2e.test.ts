import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BUSYBOX_IMAGE } from '../packages/server/testing/images/test-images.ts'
import { type BrowserLab, startBrowserLab } from './browser-lab.ts'
import { ended, gone, shown } from './wait.ts'

let lab: BrowserLab

beforeAll(async () => {
  lab = await startBrowserLab()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

/** Prints a piece of markup, 6,000 lines at once, and then a number five times a second, every tenth on the error stream and in red. */
const TICKER = [`FROM ${BUSYBOX_IMAGE}`, 'COPY tick.sh /tick.sh', 'CMD sh /tick.sh & exec httpd -f -p "$PORT" -h /www', ''].join('\n')
const TICK = [
  'echo "<b id=planted>not markup</b>"',
  'seq 6000 | sed "s|^|old |"',
  'n=0',
  'while :; do',
  '  n=$((n+1))',
  '  if [ $((n % 10)) = 0 ]; then printf "\\033[31mround %s\\033[0m\\n" "$n" >&2; else echo "tick $n"; fi',
  '  usleep 200000',
  'done',
  '',
].join('\n')

async function newestTick(page: Page): Promise<number> {
  const text = await page.getByRole('region', { name: 'Log' }).innerText()
  return Math.max(0, ...[...text.matchAll(/tick (\d+)/g)].map(([, number]) => Number(number)))
}

it('follows container output, filters it, pauses, and downloads it', async () => {
  const owner = await lab.berth.owner()
  const repository = await lab.git.createRepository({ files: { Dockerfile: TICKER, 'tick.sh': TICK } })
  const project = await owner.call('projects.create', { name: 'Clockwork' })
  const app = await owner.call('apps.create', { name: 'ticker', projectId: project.id, gitCloneUrl: repository.url })
  const page = await lab.signedIn()
  await page.goto(`/apps/${app.id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await ended(page, 'Live')

  await page.getByRole('link', { name: 'Logs' }).click()
  await shown(page.getByText(/^tick \d+$/))
  const first = await newestTick(page)
  await expect.poll(async () => await newestTick(page), { timeout: 30_000 }).toBeGreaterThan(first + 5)
  expect(await page.locator('#planted').count()).toBe(0)

  await page.getByRole('button', { name: 'Pause' }).click()
  const paused = await newestTick(page)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(await newestTick(page)).toBe(paused)
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect.poll(async () => await newestTick(page), { timeout: 30_000 }).toBeGreaterThan(paused)

  await page.getByRole('button', { name: 'Errors' }).click()
  await shown(page.locator('.text-ansi-red', { hasText: /^round \d+$/ }))
  await gone(page.getByText(/^tick \d+$/))
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await page.getByLabel('Search logs').fill('not markup')
  await shown(page.locator('mark', { hasText: 'not markup' }))
  await shown(page.getByText(/^1 match in [\d,]+ lines$/))
  await page.getByRole('button', { name: 'Link to this line' }).first().click({ force: true })
  await shown(page.getByText('old 1', { exact: true }))
  expect(page.url()).toContain('line=')
  await page.reload()
  await shown(page.getByText('<b id=planted>not markup</b>'))
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await shown(page.getByText(/^tick \d+$/))
  await shown(page.getByText(/^2,\d+ of 6,\d+ lines$/))
  const isWhole = async () => {
    await page.getByRole('region', { name: 'Log' }).press('Home') // as often as there are pages
    return await page.getByText(/^6,\d+ lines$/).isVisible()
  }
  await expect.poll(isWhole, { timeout: 50_000, interval: 1000 }).toBe(true)

  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download log' }).click()
  const file = await readFile(await (await saving).path(), 'utf8')
  expect(file).toMatch(/^\S+Z <b id=planted>not markup<\/b>\n\S+Z old 1\n/)
  expect(file).toMatch(/Z old 6000\n\S+Z tick 1\n/)
  expect(file).toMatch(/Z round 10\n/)
  expect(lab.problems).toEqual([])
}, 240_000)

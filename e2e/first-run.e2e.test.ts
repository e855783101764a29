import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureNodeBase } from '../packages/server/testing/images/base-images.ts'
import { httpdApp } from '../packages/server/testing/images/test-images.ts'
import { type BrowserLab, startBrowserLab } from './browser-lab.ts'
import { visit } from './visit.ts'
import { ended, press, shown } from './wait.ts'

let lab: BrowserLab
let page: Page

beforeAll(async () => {
  lab = await startBrowserLab({ owner: 'none', withEdge: true })
})
afterAll(async () => await lab[Symbol.asyncDispose]())

it('goes from the setup link to a deployed app that opens under its domain', async () => {
  const repository = await lab.git.createRepository({ files: httpdApp({ body: 'hello from the first app' }) })
  page = (await lab.visitor()).page
  await page.goto(`/setup#token=${lab.berth.setupToken()}`)
  await page.getByLabel('Email').fill('first@example.test')
  await page.getByLabel('Password', { exact: true }).fill('a-long-password')
  await press(page.getByRole('button', { name: 'Create account' }), page.getByText('Your first deployment'))

  await page.getByLabel('Project name').fill('Shop')
  await page.getByRole('button', { name: 'Create project' }).click()
  await shown(page.getByRole('heading', { name: 'New app' }))
  await page.getByLabel('Clone URL').fill(repository.url)
  await shown(page.getByText(/1 branch|main/))
  await shown(page.getByText('Dockerfile found'))
  await page.getByLabel('Name').fill('Website')
  await page.getByRole('button', { name: 'Create and deploy' }).click()
  await ended(page, 'Live')
  await shown(page.getByText('Deployed successfully'))

  await shown(page.getByText(/^Live at website-shop\.localhost:\d+ in/))
  const [opened] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('link', { name: 'Open app' }).click()])
  await shown(opened.getByText('hello from the first app'))
  await opened.close()

  await page.getByRole('link', { name: 'Domains' }).click()
  await page.getByLabel('Host name').fill('shop.example.com')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await shown(page.getByRole('heading', { name: 'shop.example.com' }))
  await expect.poll(async () => await visit(lab.edgePort, 'shop.example.com'), { timeout: 30_000 }).toBe('hello from the first app')
  expect(lab.problems).toEqual([])
})

it('shows what it found in a repository without a Dockerfile, builds it as changed there, and opens it', async () => {
  await using _ = await ensureNodeBase(lab.engine, 22)
  const server = "require('node:http').createServer((_, answer) => answer.end(process.argv[2] ?? 'as detected')).listen(process.env.PORT)"
  const repository = await lab.git.createRepository({
    files: {
      'package.json': JSON.stringify({ name: 'api', engines: { node: '22' }, scripts: { start: 'node server.js' } }),
      'server.js': server,
      Procfile: 'web: node server.js\nworker: node -e "setInterval(() => {}, 1000)"\n',
    },
  })
  await page.getByRole('link', { name: 'Shop' }).first().click()
  await page.getByRole('link', { name: 'New app' }).first().click()
  await page.getByLabel('Clone URL').fill(repository.url)
  await shown(page.locator('dt:text-is("Detected from") + dd').getByText('package.json'))
  await shown(page.locator('dt:text-is("Node.js") + dd').getByText(/22 \(engines/))
  expect(await page.getByLabel('Start command').getAttribute('placeholder')).toBe('node server.js')
  await page.getByLabel('Start command').fill('node server.js changed')
  await shown(page.getByText('From the settings'))
  await page.getByRole('button', { name: 'Run worker' }).click()
  await page.getByRole('button', { name: 'Add a process' }).click()
  const clock = page.getByRole('group', { name: 'process 2' })
  await clock.getByLabel('Command').fill('sleep 1000')
  await clock.getByLabel('Process', { exact: true }).fill('clock')
  await page.getByRole('group', { name: 'worker' }).getByLabel('Replicas').fill('2')
  await page.getByLabel('Name').fill('Api')
  await page.getByRole('button', { name: 'Create and deploy' }).click()
  await ended(page, 'Live')

  await shown(page.getByRole('heading', { name: 'Build', exact: true }))
  await shown(page.getByText('node server.js changed'))
  await page.getByText('Dockerfile', { exact: true }).click()
  await shown(page.getByLabel('Dockerfile', { exact: true }).getByText('CMD ["node", "server.js", "changed"]'))
  await shown(page.getByRole('button', { name: 'Copy this Dockerfile' }))
  const [opened] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('link', { name: 'Open app' }).click()])
  await shown(opened.getByText('changed'))
  await opened.close()
  await page.getByRole('link', { name: 'Overview' }).last().click()
  await shown(page.locator('dt:text-is("Process worker") + dd').getByText('2 of 2 running'))
  await shown(page.locator('dt:text-is("Process clock") + dd').getByText('sleep 1000'))
  expect(lab.problems).toEqual([])
})

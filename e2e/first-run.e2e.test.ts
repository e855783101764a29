import { afterAll, beforeAll, expect, it } from 'vitest'
import { httpdApp } from '../packages/server/testing/images/test-images.ts'
import { type BrowserLab, startBrowserLab } from './browser-lab.ts'
import { visit } from './visit.ts'
import { ended, press, shown } from './wait.ts'

let lab: BrowserLab

beforeAll(async () => {
  lab = await startBrowserLab({ owner: 'none', withEdge: true })
})
afterAll(async () => await lab[Symbol.asyncDispose]())

it('goes from the setup link to a deployed app that opens under its domain', async () => {
  const repository = await lab.git.createRepository({ files: httpdApp({ body: 'hello from the first app' }) })
  const { page } = await lab.visitor()
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

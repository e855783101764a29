import { afterAll, beforeAll, expect, it } from 'vitest'
import { PASSWORD } from '../packages/server/src/testing/start-test-server.ts'
import { type BrowserLab, startBrowserLab } from './browser-lab.ts'
import { gone, shown } from './wait.ts'

let lab: BrowserLab

beforeAll(async () => {
  lab = await startBrowserLab()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

it('shows the changes of one person to another without a reload', async () => {
  const owner = await lab.berth.owner()
  const project = await owner.call('projects.create', { name: 'Shared work' })
  const [one, two] = [await lab.signedIn(), await lab.signedIn()]
  await two.goto(`/projects/${project.id}`)
  await shown(two.getByRole('heading', { name: 'Shared work' }))
  await one.goto(`/projects/${project.id}/new`)
  await one.getByLabel('Name').fill('fresh-app')
  await one.getByLabel('Deploy at once').uncheck()
  await one.getByRole('button', { name: 'Create', exact: true }).click()
  await shown(two.getByText('fresh-app'))
})

it('lets a member in, shows what they may not do, and closes the door again', async () => {
  const owner = await lab.berth.owner()
  const member = await lab.berth.as('mia')
  const project = await owner.call('projects.create', { name: 'Private place' })
  const page = await lab.signedIn(member.email, PASSWORD)
  await page.goto('/projects')
  expect(await page.getByText('Private place').count()).toBe(0)
  const boss = await lab.signedIn()
  await boss.goto(`/projects/${project.id}/members`)
  await boss.getByLabel('E-mail').fill(member.email)
  await boss.getByRole('button', { name: 'Add', exact: true }).click()
  await shown(boss.getByText(`${member.email} is a member now.`))
  await shown(page.getByText('Private place'))
  await page.goto('/admin/users')
  await gone(page.getByRole('heading', { name: 'Users' }))
  await page.goto(`/projects/${project.id}`)
  await shown(page.getByRole('heading', { name: 'Private place' }))
  await boss.getByRole('button', { name: `Remove ${member.email}` }).click()
  await boss.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await gone(page.getByRole('heading', { name: 'Private place' }))
})

it('recovers by itself when the server is killed and comes back', async () => {
  const page = await lab.signedIn()
  await page.goto('/projects')
  await shown(page.getByRole('heading', { name: 'Projects' }))
  await lab.berth.kill9()
  await shown(page.getByText('The connection to Berth is lost'))
  await lab.berth.startAgain()
  const owner = await lab.berth.logIn('owner@example.test', 'owner-password-1')
  await gone(page.getByText('The connection to Berth is lost'))
  await owner.call('projects.create', { name: 'Made after the fall' })
  await shown(page.getByText('Made after the fall'))
})

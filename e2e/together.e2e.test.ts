import { afterAll, beforeAll, expect, it } from 'vitest'
import { PASSWORD } from '../packages/server/testing/harness/start-test-server.ts'
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
  await one.getByLabel('Deploy now').uncheck()
  await one.getByRole('button', { name: 'Create', exact: true }).click()
  await shown(two.getByText('fresh-app'))
})

it('lets a member in, shows what they may not do, and closes the door again', async () => {
  const owner = await lab.berth.owner()
  const member = await lab.berth.as('mia')
  const project = await owner.call('projects.create', { name: 'Private place' })
  const app = await owner.call('apps.create', { name: 'quiet-app', projectId: project.id, envVars: { COLOUR: 'green' } })
  const page = await lab.signedIn(member.email, PASSWORD)
  await page.goto('/projects')
  await shown(page.getByText('No projects yet'))
  expect(await page.getByText('Private place').count()).toBe(0)
  await page.goto(`/apps/${app.id}`)
  await shown(page.getByText('Not found'))
  await page.goto('/projects')
  const boss = await lab.signedIn()
  await boss.goto(`/projects/${project.id}/members`)
  await boss.getByLabel('Email').fill(member.email)
  await boss.getByRole('button', { name: 'Add', exact: true }).click()
  await shown(boss.getByText(`${member.email} added.`))

  await page.getByRole('link', { name: 'Private place' }).click() // it came without a reload
  await page.getByRole('link', { name: 'quiet-app', exact: true }).click()
  await shown(page.getByRole('button', { name: 'Deploy', exact: true }))
  await page.getByRole('link', { name: 'Environment' }).click()
  await page.getByRole('button', { name: 'Show COLOUR' }).click()
  await shown(page.getByText('green'))

  await page.getByRole('link', { name: 'Settings' }).click()
  await shown(page.getByText(/^Only the owner of this app .* can change its settings/))
  expect(await page.getByLabel('Health check path').isDisabled()).toBe(true)
  await page.goto(`/projects/${project.id}/settings`)
  await shown(page.getByText('Only the project owner and admins'))
  await page.goto(`/projects/${project.id}/members`)
  await shown(page.getByText(member.email))
  expect(await page.getByRole('button', { name: /^(Add|Remove)/ }).count()).toBe(0)
  expect(await page.getByRole('navigation', { name: 'Administration' }).count()).toBe(0)
  await page.goto('/admin/users')
  await shown(page.getByRole('heading', { name: 'For admins only' }))

  await page.goto(`/projects/${project.id}`)
  await shown(page.getByRole('heading', { name: 'Private place' }))
  await boss.getByRole('button', { name: `Remove ${member.email}` }).click()
  await boss.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await gone(page.getByRole('heading', { name: 'Private place' }))
})

it('lets somebody who only owns a project add people by e-mail, and shows nothing of those who do not exist', async () => {
  const person = await lab.berth.as('pia')
  const member = await lab.berth.as('max')
  const project = await person.call('projects.create', { name: 'Own place' })
  const page = await lab.signedIn(person.email, PASSWORD)
  await page.goto(`/projects/${project.id}/members`)
  await page.getByLabel('Email').fill('nobody@example.test')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await shown(page.getByText('User not found.'))
  await page.getByLabel('Email').fill(member.email)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await shown(page.getByText(`${member.email} added.`))
  await page.getByRole('button', { name: `Remove ${member.email}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await shown(page.getByText(`${member.email} removed.`))
})

it('shows failed logins in the audit log', async () => {
  const { email } = await lab.berth.as('gus')
  await lab.berth.raw('POST', '/api/auth/login', { body: { email, password: 'wrong-password' } })
  const page = await lab.signedIn()
  await page.goto('/admin/audit')
  await page.getByLabel('Action').selectOption({ label: 'Failed logins' })
  await shown(page.getByText(`Login failed for ${email}`))
  await shown(page.getByText('Not logged in from 127.0.0.1'))
})

it('recovers by itself when the server is killed and restarted', async () => {
  const page = await lab.signedIn()
  await page.goto('/projects')
  await shown(page.getByRole('heading', { name: 'Projects' }))
  await lab.berth.kill9()
  await shown(page.getByText('Connection to Berth lost'))
  await lab.berth.startAgain()
  const owner = await lab.berth.logIn('owner@example.test', 'owner-password-1')
  await gone(page.getByText('Connection to Berth lost'))
  await owner.call('projects.create', { name: 'Made after the fall' })
  await shown(page.getByText('Made after the fall'))
})

it('opens by itself once a server that was out of reach answers', async () => {
  const page = await lab.signedIn()
  await page.route('**/api/auth/me*', async (route) => await route.abort('connectionrefused'))
  await page.goto('/projects')
  await shown(page.getByText('Berth is not responding'))
  await page.unroute('**/api/auth/me*')
  await shown(page.getByRole('heading', { name: 'Projects' }))
})

it('shows who set the clone URL, and lets an admin set it again in their own name', async () => {
  const owner = await lab.berth.owner()
  const user = await lab.berth.as('sue')
  const project = await user.call('projects.create', { name: 'Handed over' })
  const gitCloneUrl = 'https://127.0.0.1:1/owner/repository.git'
  const { id: appId } = await user.call('apps.create', { name: 'handed-app', projectId: project.id, gitCloneUrl })
  await user.call('apps.transfer', { appId, userId: owner.id })
  const page = await lab.signedIn()
  await page.goto(`/apps/${appId}/settings`)
  await shown(page.getByText(`The clone URL was set by ${user.email}.`))
  const card = page.locator('form').filter({ hasText: 'Clone URL' })
  await page.getByLabel('Branch', { exact: true }).fill('next')
  await card.getByRole('button', { name: 'Save' }).click()
  await shown(page.getByText('Saved. Takes effect'))
  expect(await owner.call('apps.get', { appId })).toMatchObject({ git_branch: 'next', source_set_by: user.id })
  await page.getByLabel('Set it again as me').check()
  await card.getByRole('button', { name: 'Save' }).click()
  await gone(page.getByText(`The clone URL was set by ${user.email}.`))
  expect(await owner.call('apps.get', { appId })).toMatchObject({ git_clone_url: gitCloneUrl, source_set_by: owner.id })
})

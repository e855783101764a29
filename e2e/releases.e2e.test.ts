import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { HostRepo } from '../packages/server/testing/git-host/model.ts'
import { deliveryHeaders, pushPayload } from '../packages/server/testing/git-host/payloads.ts'
import { type GitHostServer, startGitHost } from '../packages/server/testing/git-host/start-git-host.ts'
import { BUSYBOX_IMAGE, httpdApp } from '../packages/server/testing/images/test-images.ts'
import { type BrowserLab, startBrowserLab } from './browser-lab.ts'
import { ended, gone, shown } from './wait.ts'

const TOKEN = 'a-token-of-the-robot'

let lab: BrowserLab
let host: GitHostServer

beforeAll(async () => {
  host = await startGitHost('github')
  lab = await startBrowserLab({ env: host.env })
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

async function newApp(name: string, files: Record<string, string>) {
  const repository = await lab.git.createRepository({ files })
  const owner = await lab.berth.owner()
  const project = await owner.call('projects.create', { name: `${name} project` })
  const app = await owner.call('apps.create', {
    name,
    projectId: project.id,
    gitCloneUrl: repository.url,
    envVars: { COLOUR: 'green-leaf' },
  })
  return { repository, owner, project, app }
}

it('shows why a build failed, deploys the fix, rolls back, and scales', async () => {
  const { repository, app } = await newApp('shop', { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nRUN echo about to break && exit 3\n` })
  const page = await lab.signedIn()
  await page.goto(`/apps/${app.id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await ended(page, 'Failed')
  await shown(page.getByText(/The build failed/))
  await shown(page.getByText('about to break'))

  await repository.commit({ files: httpdApp({ body: 'version one' }), clear: true })
  await page.getByRole('button', { name: /^Deploy/ }).click()
  await ended(page, 'Live')
  await repository.commit({ files: httpdApp({ body: 'version two' }) })
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await shown(page.getByRole('heading', { name: /Deployment #3.*Live/ }))

  await page.goto(`/apps/${app.id}/deployments`)
  await page.getByRole('button', { name: 'Roll back to #2' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
  const owner = await lab.berth.owner()
  await expect.poll(async () => (await owner.call('deployments.list', { appId: app.id }))[0]?.status, { timeout: 60_000 }).toBe('success')
  await page.goto(`/apps/${app.id}/deployments`)
  await shown(page.getByRole('listitem').getByText('Rolled back'))

  await page.goto(`/apps/${app.id}/settings`)
  await page.getByLabel('Replicas').fill('2')
  await page.getByRole('button', { name: 'Save' }).click()
  await shown(page.getByText('Scaling to 2 replicas'))
  await page.goto(`/apps/${app.id}`)
  await shown(page.getByText('2 of 2 replicas running'))
})

it('names the variable that a failed release lacks, with what its container printed, and opens the page to add it', {
  tags: 'long',
}, async () => {
  const command = 'echo "Error: SHOP_NAME is not set" >&2; exit 1'
  const { app } = await newApp('nameless', { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nCMD ${command}\n` })
  const page = await lab.signedIn()
  await page.goto(`/apps/${app.id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await ended(page, 'Failed')
  await shown(page.getByRole('alert').getByText('The container exited with code 1: Error: SHOP_NAME is not set'))
  await page.getByRole('link', { name: 'Add SHOP_NAME' }).click()
  await expect.poll(async () => await page.getByLabel('Name').inputValue()).toBe('SHOP_NAME')
  await page.getByRole('link', { name: 'Logs' }).click()
  await shown(page.getByText('No container is running.'))
  await shown(page.getByText('Error: SHOP_NAME is not set'))
})

it('sets the port that a failed release listens on with one click', { tags: 'long' }, async () => {
  const { app } = await newApp('stubborn', { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nCMD exec httpd -f -p 9999 -h /\n` })
  const page = await lab.signedIn()
  await page.goto(`/apps/${app.id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await ended(page, 'Failed')
  await page.getByRole('button', { name: 'Set the port to 9999 and deploy' }).click()
  await ended(page, 'Live')
})

it('changes the environment in bulk, says so until the next deployment, and follows the log of the container', {
  tags: 'long',
}, async () => {
  const { app } = await newApp('worker', {
    Dockerfile: `FROM ${BUSYBOX_IMAGE}\nCMD echo "colour is $COLOUR"; exec httpd -f -p "$PORT" -h /www\n`,
  })
  const page = await lab.signedIn()
  await page.goto(`/apps/${app.id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await ended(page, 'Live')
  await page.getByRole('link', { name: 'Environment' }).click()
  await page.getByText('Edit as .env').click()
  await page.getByLabel('Variables, one per line').fill('COLOUR=deep-blue\nMORE=1\n')
  await shown(page.getByText('COLOUR changed'))
  await page.getByRole('button', { name: 'Save' }).click()
  await shown(page.getByText(/changed since/i))
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await shown(page.getByRole('heading', { name: /Deployment #2.*Live/ }))
  await page.getByRole('link', { name: 'Logs' }).click()
  await shown(page.getByText('colour is deep-blue'))
})

it('cancels a deployment that runs', async () => {
  const { app } = await newApp('slow', { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nRUN echo sleeping now && sleep 600\n` })
  const page = await lab.signedIn()
  await page.goto(`/apps/${app.id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await shown(page.getByText('sleeping now'))
  await page.getByRole('button', { name: 'Cancel' }).click()
  await ended(page, 'Cancelled')
  await gone(page.getByRole('button', { name: 'Cancel' }))
})

/** Where the host sends the pushes of a repository: to the webhook that was registered with it, or to its GitHub App. */
async function targetOf(repo: HostRepo) {
  const app = host.model.apps.find(({ installations }) => installations.some(({ repositories }) => repositories.has(repo.id)))
  if (app) return { url: app.hookUrl, secret: app.webhookSecret, installation: app.installations[0]?.id ?? 0 }
  return await vi.waitUntil(() => host.model.hooks.find(({ repositoryId }) => repositoryId === repo.id), { timeout: 30_000 })
}

/** Commits to a repository of the host, which then delivers the push. */
async function push(repo: HostRepo, body: string, message: string, branch = 'main'): Promise<void> {
  await repo.git?.commit({ files: httpdApp({ body }), message, branch })
  const commit = (await repo.git?.git(['rev-parse', branch]))?.trim() ?? ''
  const { url, secret, ...by } = await targetOf(repo)
  const payload = JSON.stringify(
    pushPayload(host.model, { repo, commit, message, branch, ...('installation' in by && { installation: by.installation }) }),
  )
  const headers = deliveryHeaders(host.model, { secret, body: payload })
  const { pathname, search } = new URL(url) // at the domain of the dashboard, which only an edge serves
  expect((await fetch(`${lab.berth.baseUrl}${pathname}${search}`, { method: 'POST', headers, body: payload })).status).toBe(200)
}

it('goes from no Git account to a private repository that deploys on push, and says why a push did not', async () => {
  const robot = host.addPerson('robot', TOKEN)
  for (const name of ['acme/blog', 'acme/wiki']) await host.addRepository(name, [robot])
  const repo = await host.addRepository('acme/secret-shop', [robot], httpdApp({ body: 'one' }))
  const owner = await lab.berth.owner()
  await owner.call('settings.update', { dashboardDomain: 'berth.example.com' })
  const project = await owner.call('projects.create', { name: 'Pushed project' })
  const page = await lab.signedIn()
  await page.goto(`/projects/${project.id}/new`)
  await page.getByRole('button', { name: 'Git account', exact: true }).click()
  await page.getByRole('button', { name: 'Connect a Git account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill(host.origin)
  await dialog.getByLabel('Access token').fill('not-the-token')
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await shown(dialog.getByText('does not accept the token'))
  await dialog.getByLabel('Access token').fill(TOKEN)
  await dialog.getByRole('button', { name: 'Connect' }).click()

  const repository = page.getByRole('combobox', { name: 'Repository' })
  await repository.click()
  await shown(page.getByRole('option', { name: /acme\/wiki/ }))
  await repository.pressSequentially('secret')
  await gone(page.getByRole('option', { name: /acme\/wiki/ }))
  await shown(page.getByRole('option', { name: /acme\/secret-shop.*private/ }))
  await repository.press('Enter')
  await shown(page.getByText('Dockerfile found'))
  const asked = page.waitForEvent('dialog').then(async (question) => {
    await question.dismiss()
    return question.message()
  })
  await page.getByRole('link', { name: 'Templates' }).click()
  expect(await asked).toContain('unsaved changes')
  await page.getByRole('button', { name: 'Create and deploy' }).click()
  await ended(page, 'Live')

  await page.getByRole('link', { name: 'Deployments', exact: true }).click()
  await push(repo, 'two', 'Show the delivery date')
  const pushed = page.getByRole('listitem').filter({ hasText: 'Show the delivery date by' })
  await shown(pushed.getByText('Succeeded'))
  expect(await pushed.getByTitle('at the Git host').getAttribute('href')).toMatch(`${host.origin}/acme/secret-shop/commit/`)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await shown(page.getByRole('link', { name: 'secret-shop #2' }))
  await push(repo, 'three', 'Fix a typo [skip ci]')
  await shown(page.getByText('secret-shop: the commit message says [skip ci]'))
  await page.getByRole('button', { name: 'Details' }).first().click()
  await shown(dialog.getByText('x-github-event: push'))
  expect(await dialog.textContent()).not.toContain('x-hub-signature')

  await page.goto('/account/git')
  await page.getByRole('button', { name: 'Remove robot' }).click()
  await shown(dialog.getByText('secret-shop'))
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await shown(page.getByText('No Git account yet'))
  expect(lab.problems).toEqual([])
})

it('goes to GitHub and back from the form of a new app, deploys a private repository of the new GitHub App, and then its pushes', async () => {
  const repo = await host.addRepository('acme/secret-api', [], httpdApp({ body: 'one' }))
  host.model.nextInstall = { login: 'acme', repositories: [repo.id] }
  const owner = await lab.berth.owner()
  await owner.call('settings.update', { dashboardDomain: 'berth.example.com' })
  const project = await owner.call('projects.create', { name: 'App project' })
  const page = await lab.signedIn()
  await page.goto(`/projects/${project.id}/new`)
  await page.getByLabel('Name').fill('Typed before')
  await page.getByRole('button', { name: 'Git account', exact: true }).click()
  await page.getByRole('button', { name: 'Connect a GitHub App' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill(host.origin)
  await dialog.getByRole('button', { name: 'Create a GitHub App' }).click() // the host creates and installs it, and leads back

  await shown(page.getByRole('heading', { name: 'New app' }))
  const repository = page.getByRole('combobox', { name: 'Repository' })
  await repository.click()
  await shown(page.getByRole('option', { name: /acme\/secret-api.*private/ }))
  await repository.press('Enter')
  await shown(page.getByText('Dockerfile found'))
  expect(await page.getByLabel('Name').inputValue()).toBe('Typed before')
  await page.getByRole('button', { name: 'Create and deploy' }).click()
  await ended(page, 'Live')
  expect(host.model.hooks.filter(({ repositoryId }) => repositoryId === repo.id)).toEqual([]) // its app delivers

  await page.getByRole('link', { name: 'Deployments', exact: true }).click()
  await push(repo, 'two', 'Show the price')
  await shown(page.getByRole('listitem').filter({ hasText: 'Show the price by' }).getByText('Succeeded'))
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await push(repo, 'three', 'Try something', 'next')
  await shown(page.getByText('Typed before: it deploys from the branch main'))
  expect(lab.problems).toEqual([])
})

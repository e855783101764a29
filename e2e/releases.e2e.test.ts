import { afterAll, beforeAll, expect, it } from 'vitest'
import { BUSYBOX_IMAGE, httpdApp } from '../packages/server/testing/images/test-images.ts'
import { type BrowserLab, startBrowserLab } from './browser-lab.ts'
import { ended, gone, shown } from './wait.ts'

let lab: BrowserLab

beforeAll(async () => {
  lab = await startBrowserLab()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

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

it('shows why a build failed, deploys the fix, and rolls back', async () => {
  const { repository, app } = await newApp('shop', { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nRUN echo about to break && exit 3\n` })
  const page = await lab.signedIn()
  await page.goto(`/apps/${app.id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await ended(page, 'Failed')
  await shown(page.getByText(/The build failed/))
  await shown(page.getByText('about to break').last())

  await repository.commit({ files: httpdApp({ body: 'version one' }), clear: true })
  await page.getByRole('button', { name: /^Deploy/ }).click()
  await ended(page, 'Live')
  await repository.commit({ files: httpdApp({ body: 'version two' }) })
  await page.getByRole('button', { name: 'Deploy again' }).click()
  await shown(page.getByRole('heading', { name: /Deployment #3.*Live/ }))

  await page.goto(`/apps/${app.id}/deployments`)
  await page.getByRole('button', { name: 'Roll back to #2' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
  const owner = await lab.berth.owner()
  await expect.poll(async () => (await owner.call('deployments.list', { appId: app.id }))[0]?.status, { timeout: 60_000 }).toBe('success')
  await page.goto(`/apps/${app.id}/deployments`)
  await shown(page.getByText('Rolled back'))
})

it('changes the environment in bulk, says so until the next deployment, and follows the log of the container', async () => {
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
  await page.getByRole('button', { name: 'Deploy again' }).click()
  await shown(page.getByRole('heading', { name: /Deployment #2.*Live/ }))
  await page.getByRole('link', { name: 'Logs' }).click()
  await shown(page.getByText('colour is deep-blue'))
})

it('cancels a deployment that runs', async () => {
  const { app } = await newApp('slow', { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nRUN echo sleeping now && sleep 600\n` })
  const page = await lab.signedIn()
  await page.goto(`/apps/${app.id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await shown(page.getByText('sleeping now').last())
  await page.getByRole('button', { name: 'Cancel' }).click()
  await ended(page, 'Cancelled')
  await gone(page.getByRole('button', { name: 'Cancel' }))
})

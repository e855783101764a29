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
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await shown(page.getByRole('heading', { name: /Deployment #3.*Live/ }))

  await page.goto(`/apps/${app.id}/deployments`)
  await page.getByRole('button', { name: 'Roll back to #2' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
  const owner = await lab.berth.owner()
  await expect.poll(async () => (await owner.call('deployments.list', { appId: app.id }))[0]?.status, { timeout: 60_000 }).toBe('success')
  await page.goto(`/apps/${app.id}/deployments`)
  await shown(page.getByRole('listitem').getByText('Rolled back'))
})

it('names the variable that a failed release lacks, with what its container printed, and opens the page to add it', async () => {
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
  await shown(page.getByText('Error: SHOP_NAME is not set').first())
})

it('sets the port that a failed release listens on with one click', async () => {
  const { app } = await newApp('stubborn', { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nCMD exec httpd -f -p 9999 -h /\n` })
  const page = await lab.signedIn()
  await page.goto(`/apps/${app.id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await ended(page, 'Failed')
  await page.getByRole('button', { name: 'Set the port to 9999 and deploy' }).click()
  await ended(page, 'Live')
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
  await shown(page.getByText('sleeping now').last())
  await page.getByRole('button', { name: 'Cancel' }).click()
  await ended(page, 'Cancelled')
  await gone(page.getByRole('button', { name: 'Cancel' }))
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ImageRegistry, startImageRegistry } from '../packages/server/testing/harness/image-registry.ts'
import { ensureRedisImage } from '../packages/server/testing/images/database-images.ts'
import { BUSYBOX_IMAGE, buildTestImage } from '../packages/server/testing/images/test-images.ts'
import { type BrowserLab, startBrowserLab } from './browser-lab.ts'
import { visit } from './visit.ts'
import { ended, gone, shown } from './wait.ts'

let lab: BrowserLab
let registry: ImageRegistry

beforeAll(async () => {
  registry = await startImageRegistry()
  lab = await startBrowserLab({ withEdge: true, env: { BERTH_PRIVATE_SOURCES: registry.address } })
  await ensureRedisImage(lab.engine)
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await registry[Symbol.asyncDispose]()
})

/** A web app that counts its visits in the Redis of REDIS_URL, in the words of Redis itself. */
const COUNTER = [
  '#!/bin/sh',
  'rest="${REDIS_URL#redis://}"; secret="${rest%@*}"; place="${rest##*@}"; place="${place%%/*}"',
  'printf "Content-Type: text/plain\\r\\n\\r\\n"',
  'printf "AUTH %s\\r\\nINCR visits\\r\\nQUIT\\r\\n" "${secret#*:}" | nc "${place%:*}" "${place##*:}"',
  '',
].join('\n')
const COUNTER_APP = {
  'count.sh': COUNTER,
  Dockerfile: [
    `FROM ${BUSYBOX_IMAGE}`,
    'COPY count.sh /www/cgi-bin/count',
    'RUN chmod 755 /www/cgi-bin/count && echo up > /www/index.html',
    'CMD exec httpd -f -p "$PORT" -h /www',
    '',
  ].join('\n'),
}

it('makes a database from a template and connects an app of the same project to it by clicking', async () => {
  const owner = await lab.berth.owner()
  const project = await owner.call('projects.create', { name: 'Counting' })
  const repository = await lab.git.createRepository({ files: COUNTER_APP })
  const page = await lab.signedIn()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])

  await page.goto(`/projects/${project.id}/new`)
  await page.getByText('From a template', { exact: false }).click()
  await page.getByText('Redis', { exact: false }).first().click()
  await page.getByLabel('Name').fill('visits-store')
  await page.getByRole('button', { name: 'Create and deploy' }).click()
  await ended(page, 'Live')
  await page.getByRole('link', { name: 'Overview' }).last().click()
  await shown(page.getByRole('heading', { name: 'Connection' }))
  expect(await page.getByText('redis://').count()).toBe(0) // masked until it is asked for
  await page.getByRole('button', { name: 'Copy connection URL' }).click()
  const url = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(url).toMatch(/^redis:\/\/.*@visits-store:6379/)

  await page.goto(`/projects/${project.id}/new`)
  await page.getByLabel('Clone URL').fill(repository.url)
  await page.getByLabel('Name').fill('counter')
  await page.getByRole('button', { name: 'Create and deploy' }).click()
  await ended(page, 'Live')
  await page.getByRole('link', { name: 'Environment' }).click()
  await page.getByRole('button', { name: 'Connect a database' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Database').inputValue()).toMatch(/^\d+$/)
  expect(await dialog.getByLabel('Variable').inputValue()).toBe('REDIS_URL')
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await shown(dialog.getByText('now refers to visits-store'))
  await dialog.getByRole('button', { name: 'Deploy' }).click()
  await ended(page, 'Live')
  await page.getByRole('link', { name: 'Environment' }).click()
  await shown(page.getByText('URL from visits-store')) // what it refers to is no secret
  await page.getByRole('link', { name: 'Domains' }).click()
  await page.getByLabel('Host name').fill('counter.example.com')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await shown(page.getByRole('heading', { name: 'counter.example.com' }))

  const count = async () => await visit(lab.edgePort, 'counter.example.com', '/cgi-bin/count')
  await expect.poll(count, { timeout: 60_000 }).toMatch(/^\+OK\r\n:1\r\n/)
  expect(await count()).toMatch(/^\+OK\r\n:2\r\n/)

  // The database gets a new password with its next deployment, and the app with its own.
  const apps = await owner.call('apps.list', { projectId: project.id })
  const idOf = (name: string) => apps.find((each) => each.name === name)?.id ?? 0
  await page.goto(`/apps/${idOf('visits-store')}/environment`)
  await page.getByRole('button', { name: 'Edit REDIS_PASSWORD' }).click()
  await dialog.getByLabel('Value').fill('another-password')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Deploy now' }).click()
  await ended(page, 'Live')
  expect(await count()).toContain('WRONGPASS')
  await page.goto(`/apps/${idOf('counter')}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await ended(page, 'Live')
  expect(await count()).toMatch(/^\+OK\r\n:3\r\n/)

  // What the app keeps, besides the database.
  await page.goto(`/apps/${idOf('counter')}`)
  await page.getByRole('link', { name: 'Storage' }).click()
  await page.getByRole('button', { name: 'Add volume' }).click()
  await dialog.getByLabel('Name').fill('uploads')
  await dialog.getByLabel('Path in the container').fill('/etc')
  await dialog.getByRole('button', { name: 'Add volume' }).click()
  await shown(dialog.getByText('must not be at /etc', { exact: false }))
  await dialog.getByLabel('Path in the container').fill('/www/uploads')
  await dialog.getByRole('button', { name: 'Add volume' }).click()
  await shown(page.getByText('Not created yet'))
  await page.getByRole('button', { name: 'Add file' }).click()
  await dialog.getByLabel('Path in the container').fill('/www/greeting.txt')
  await dialog.getByLabel('Content').fill('hello from a file')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Deploy now' }).click()
  await ended(page, 'Live')
  expect(await visit(lab.edgePort, 'counter.example.com', '/greeting.txt')).toBe('hello from a file')
  await page.getByRole('link', { name: 'Storage' }).click()
  await shown(page.getByRole('button', { name: 'Edit uploads' }))
  await expect.poll(async () => await page.getByText('Not created yet').count(), { timeout: 60_000 }).toBe(0)

  // The other way round, from the database: the name is taken, so another one is given.
  await page.getByRole('link', { name: 'Counting' }).first().click()
  await page.getByRole('link', { name: 'visits-store' }).first().click()
  await page.getByRole('button', { name: 'Connect to app' }).click()
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await shown(dialog.getByText('already taken in this app', { exact: false }))
  await dialog.getByLabel('Variable').fill('SECOND_URL')
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await shown(dialog.getByText('now refers to visits-store'))
  await dialog.getByRole('button', { name: 'Later' }).click()
  expect(lab.problems).toEqual([])
})

it('keeps a value for all apps of a project, and shows references that cannot be resolved', async () => {
  const owner = await lab.berth.owner()
  const project = await owner.call('projects.create', { name: 'Sharing' })
  const app = await owner.call('apps.create', { projectId: project.id, name: 'web', envVars: { REGION: '${{project.REGION}}' } })
  const page = await lab.signedIn()
  await page.goto(`/apps/${app.id}/environment`)
  const problem = page.getByText('names a variable that the project does not have', { exact: false })
  await shown(problem)

  await page.goto(`/projects/${project.id}`)
  await page.getByRole('link', { name: 'Variables' }).click()
  await page.getByLabel('Name').fill('REGION')
  await page.getByLabel('Value').fill('eu-west')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await shown(page.getByRole('button', { name: 'Edit REGION' }))
  await page.getByLabel('Name').fill('REGION')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await shown(page.getByText('Must name each key once', { exact: false }))
  await page.getByRole('button', { name: 'Edit REGION' }).click()
  await page.getByRole('dialog').getByLabel('Value').fill('eu-north')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(async () => (await owner.call('projectEnvs.list', { projectId: project.id })).map(({ value }) => value))
    .toEqual(['eu-north'])

  await page.goto(`/apps/${app.id}/environment`)
  await shown(page.getByText('REGION from the project'))
  await expect.poll(async () => await problem.count()).toBe(0)
  expect(lab.problems).toEqual([])
})

it('makes a stack from a pasted file, opens it, and looks after its services one by one', async () => {
  const owner = await lab.berth.owner()
  const project = await owner.call('projects.create', { name: 'Pasting' })
  const serve = (word: string, port: number) =>
    `sh -c 'echo "${word} is up"; echo ${word} > /tmp/index.html; exec httpd -f -p ${port} -h /tmp'`
  const file = [
    'services:',
    '  web:',
    `    image: ${BUSYBOX_IMAGE}`,
    `    command: ${serve('${GREETING:?what visitors are greeted with}', 8080)}`,
    '    expose: [8080]',
    '  api:',
    `    image: ${BUSYBOX_IMAGE}`,
    `    command: ${serve('answers', 9000)}`,
    '    ports: ["9000:9000"]',
  ]
  const page = await lab.signedIn()
  await page.goto(`/projects/${project.id}/new`)
  await page.getByText('Several containers', { exact: false }).first().click()
  await page.getByRole('button', { name: 'Paste a file' }).click()
  await page.getByLabel('Name').fill('stack')
  await page.getByLabel('Port').fill('8080')
  await page.getByRole('textbox', { name: 'Compose file' }).fill([...file, '    privileged: true'].join('\n'))
  await shown(page.getByText('services.api.privileged is not allowed', { exact: false }))
  await page.getByRole('textbox', { name: 'Compose file' }).fill(file.join('\n'))
  await shown(page.getByText('This file cannot be deployed: 1 problem.'))
  await page.getByLabel('GREETING').fill('welcome')
  await shown(page.getByText('This file can be deployed.'))
  await page.getByRole('button', { name: 'Create and deploy' }).click()
  await ended(page, 'Live')

  await page.getByRole('link', { name: 'Domains' }).click()
  await page.getByLabel('Host name').fill('stack.example.com')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await shown(page.getByRole('heading', { name: 'stack.example.com' }))
  await page.getByLabel('Host name').fill('api.example.com')
  await page.getByLabel('Service').fill('api')
  await page.getByLabel('Port').fill('9000')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await shown(page.getByRole('heading', { name: 'api.example.com' }))
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await ended(page, 'Live')
  await expect.poll(async () => await visit(lab.edgePort, 'stack.example.com'), { timeout: 60_000 }).toBe('welcome\n')
  await expect.poll(async () => await visit(lab.edgePort, 'api.example.com'), { timeout: 60_000 }).toBe('answers\n')

  await page.getByRole('link', { name: 'Services' }).click()
  await shown(page.getByRole('link', { name: 'api.example.com' }))
  await shown(page.getByText('GREETING', { exact: false })) // the file that runs
  await page.getByRole('button', { name: 'Restart api' }).click()
  await shown(page.getByText('api restarted.'))
  await page.getByRole('button', { name: 'Stop api' }).click()
  await page.getByRole('button', { name: 'Start api' }).click()
  await shown(page.getByText('api started.'))
  await page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'api', exact: true }) })
    .getByRole('link', { name: 'Logs' })
    .click()
  await shown(page.getByText('answers is up'))
  await gone(page.getByText('welcome is up'))
  await page.getByLabel('Service').selectOption({ label: 'All services' })
  await shown(page.getByText('web | welcome is up'))
  await shown(page.getByText('api | answers is up'))
  expect(lab.problems).toEqual([])
})

it('runs a private image once its registry was added, and looks for a newer one', async () => {
  const local = 'berth-test/private-page:1'
  const Dockerfile = `FROM ${BUSYBOX_IMAGE}\nRUN echo private > /www/index.html\nCMD exec httpd -f -p 8080 -h /www\n`
  await buildTestImage(lab.engine, local, { Dockerfile })
  await registry.setPassword('ada', 'the-password-of-ada')
  await registry.push(local, 'team/page:1')
  await lab.engine.images.remove(local)
  const project = await (await lab.berth.owner()).call('projects.create', { name: 'Images' })
  const page = await lab.signedIn()

  await page.goto(`/projects/${project.id}/registries`)
  await page.getByRole('button', { name: 'Add registry' }).click()
  await page.getByLabel('Host').fill(registry.host)
  await page.getByLabel('User name').fill('ada')
  await page.getByLabel('Password or access token').fill('wrong')
  await page.getByRole('button', { name: 'Save' }).click()
  await shown(page.getByText('does not accept this user name and password'))
  await page.getByLabel('Password or access token').fill('the-password-of-ada')
  await page.getByRole('button', { name: 'Save' }).click()
  await shown(page.getByText('Connected'))

  await page.goto(`/projects/${project.id}/new`)
  await page.getByText('Image', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Image' }).fill(`${registry.host}/team/page:1`)
  await shown(page.getByText(/^Found/))
  expect(await page.getByLabel('Name').inputValue()).toBe('page')
  await page.getByLabel('Port').fill('8080')
  await page.getByRole('button', { name: 'Create and deploy' }).click()
  await ended(page, 'Live')
  await page.getByRole('link', { name: 'Settings' }).last().click()
  await page.getByRole('button', { name: 'Check for a newer image' }).click()
  await shown(page.getByText('The newest image is live.'))
})

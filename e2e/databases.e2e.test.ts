import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureRedisImage } from '../packages/server/testing/images/database-images.ts'
import { BUSYBOX_IMAGE } from '../packages/server/testing/images/test-images.ts'
import { type BrowserLab, startBrowserLab } from './browser-lab.ts'
import { visit } from './visit.ts'
import { ended, shown } from './wait.ts'

let lab: BrowserLab

beforeAll(async () => {
  lab = await startBrowserLab({ withEdge: true })
  await ensureRedisImage(lab.engine)
})
afterAll(async () => await lab[Symbol.asyncDispose]())

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

it('makes a database from a template and connects an app of the same project to it', async () => {
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
  await page.getByLabel('Variables, one per line').fill(`REDIS_URL=${url}`)
  await page.getByRole('button', { name: 'Create and deploy' }).click()
  await ended(page, 'Live')
  await page.getByRole('link', { name: 'Domains' }).click()
  await page.getByLabel('Host name').fill('counter.example.com')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await shown(page.getByRole('heading', { name: 'counter.example.com' }))

  const count = async () => await visit(lab.edgePort, 'counter.example.com', '/cgi-bin/count')
  await expect.poll(count, { timeout: 60_000 }).toMatch(/^\+OK\r\n:1\r\n/)
  expect(await count()).toMatch(/^\+OK\r\n:2\r\n/)
  expect(lab.problems).toEqual([])
}, 180_000)

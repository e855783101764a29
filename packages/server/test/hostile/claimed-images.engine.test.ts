import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ImageRegistry, startImageRegistry } from '../../testing/harness/image-registry.ts'
import { startLyingRegistry } from '../../testing/harness/lying-registry.ts'
import { BUSYBOX_IMAGE, buildTestImage } from '../../testing/images/test-images.ts'
import { type DeployLab, openDeployLab, webFiles } from '../../testing/labs/deploy-lab.ts'

const OWN = randomBytes(6).toString('hex')
const LOCAL = `berth-test/claimed-${OWN}:1`
const PASSWORD = 'the-password-of-the-shop'

let lab: DeployLab
let registry: ImageRegistry
let liar: Awaited<ReturnType<typeof startLyingRegistry>>
let digest: string
/** What the shop pulled with its credentials, and what it built. */
let pulled: string
let built: string
let attacker: number

beforeAll(async () => {
  registry = await startImageRegistry()
  await registry.setPassword('shop', PASSWORD)
  liar = await startLyingRegistry()
  lab = await openDeployLab({ env: { BERTH_PRIVATE_SOURCES: `${registry.address},127.0.0.1` } })
  const Dockerfile = [`FROM ${BUSYBOX_IMAGE}`, 'COPY index.html /www/', 'CMD ["/bin/httpd", "-f", "-p", "8080", "-h", "/www"]'].join('\n')
  await buildTestImage(lab.engine, LOCAL, { Dockerfile, 'index.html': OWN })
  digest = await registry.push(LOCAL, 'shop/web:1')
  attacker = (await lab.owner.call('projects.create', { name: 'Attacker' })).id
  await saveCredentials(registry.host, 'shop', lab.project.id)
  const app = await lab.createAppIn(lab.project.id, webFiles(`${OWN} built`))
  await lab.deploy(app.id)
  built = await idOf(lab.rows<{ image: string }>('select image from deployment where app_id = ?', app.id)[0]?.image ?? '')
})
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]()
  await lab?.engine.images.remove(LOCAL)
  await liar?.[Symbol.asyncDispose]()
  await registry?.[Symbol.asyncDispose]()
})

async function idOf(name: string): Promise<string> {
  return (await lab.engine.images.inspect(name))?.id ?? ''
}

async function saveCredentials(host: string, username: string, projectId: number): Promise<void> {
  await lab.owner.call('registries.create', { host, username, password: PASSWORD, projectId })
}

async function imageApp(projectId: number, image: string) {
  const name = `image ${randomBytes(3).toString('hex')}`
  return await lab.owner.call('apps.create', { projectId, name, port: 8080, image })
}

it('who claims the digest of an image before its owner comes does not keep the owner out', async () => {
  await saveCredentials(liar.host, 'anybody', attacker)
  liar.claim(`sha256:${'1'.repeat(64)}`, digest)
  for (const name of [`${liar.host}/any/thing:1`, `${liar.host}/any/thing@${digest}`])
    expect((await lab.deploy((await imageApp(attacker, name)).id)).status).toBe('failed')
  const shop = await imageApp(lab.project.id, `${registry.host}/shop/web:1`)
  expect(await lab.deploy(shop.id)).toMatchObject({ status: 'success', error_message: '' })
  expect(await lab.visit(shop)).toBe(OWN)
  pulled = await idOf(LOCAL)
})

it.each([
  ['was pulled with the credentials of another project', () => pulled],
  ['was built by another project', () => built],
])('a registry that claims an image which %s gets it for nobody', async (_, id) => {
  expect(id()).toMatch(/^sha256:/)
  liar.claim(id())
  const name = `${liar.host}/any/${randomBytes(3).toString('hex')}:1`
  const ready = await lab.deploy((await imageApp(attacker, name)).id)
  expect([ready.status, ready.error_message]).toEqual(['failed', expect.stringContaining('This project has no access to')])
  const compose = { 'compose.yaml': `services:\n  web:\n    image: ${name}\n    expose: ["8080"]\n` }
  const stack = await lab.deploy((await lab.createAppIn(attacker, compose, { change: { appType: 'compose' } })).id)
  expect([stack.status, stack.error_message]).toEqual(['failed', expect.stringContaining('This project has no access to')])
  const base = await lab.createAppIn(attacker, { Dockerfile: `FROM ${name}\n` })
  expect((await lab.deploy(base.id)).status).toBe('failed')
})

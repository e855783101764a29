import { randomBytes } from 'node:crypto'
import type { Application, Deployment, NewApplication } from '@berth/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ImageRegistry, startImageRegistry } from '../../server/testing/harness/image-registry.ts'
import { OWNER } from '../../server/testing/harness/start-test-server.ts'
import { BUSYBOX_IMAGE, buildTestImage } from '../../server/testing/images/test-images.ts'
import { type DeployLab, dockerfile, openDeployLab, until } from '../../server/testing/labs/deploy-lab.ts'
import { createInstalledCli } from '../testing/run-cli.ts'

const PASSWORD = 'ada-has-this-password'
const OWN = randomBytes(6).toString('hex') // two runs on one engine have images of their own
const local = (page: string) => `berth-test/page-${OWN}-${page}:1`
const { berth } = createInstalledCli()

let lab: DeployLab
let registry: ImageRegistry
let first: string // the digests
let web: Application

beforeAll(async () => {
  registry = await startImageRegistry()
  await registry.setPassword('ada', PASSWORD)
  lab = await openDeployLab({ env: { BERTH_PRIVATE_SOURCES: `${registry.address},127.0.0.1` }, tuning: { sourcePollMs: 500 } })
  for (const page of ['first', 'second']) {
    const Dockerfile = [`FROM ${BUSYBOX_IMAGE}`, 'COPY index.html /www/', 'CMD ["/bin/httpd", "-f", "-p", "8080", "-h", "/www"]'].join('\n')
    await buildTestImage(lab.engine, local(page), { Dockerfile, 'index.html': `${OWN} ${page}` })
  }
  first = await registry.push(local('first'), 'team/web:1')
  await berth(['login', lab.berth.baseUrl, '--email', OWNER.email], { input: OWNER.password })
})
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]()
  for (const page of ['first', 'second']) await lab?.engine.images.remove(local(page))
  await registry?.[Symbol.asyncDispose]()
})

const image = (name: string) => `${registry.host}/${name}`

async function appOf(projectId: number, given: Partial<NewApplication>): Promise<Application> {
  const name = `image app ${randomBytes(3).toString('hex')}`
  return await lab.owner.call('apps.create', { projectId, name, port: 8080, ...given })
}

async function failed(app: Application): Promise<string> {
  const { status, error_message } = await lab.deploy(app.id)
  expect(status).toBe('failed')
  return error_message
}

async function newest(appId: number): Promise<Deployment> {
  const [last] = await lab.owner.call('deployments.list', { appId })
  return await lab.ended(last?.id ?? 0)
}

it('credentials are tried before they are kept, and the password is never shown', async () => {
  const missing = await berth(['images', 'check', image('team/web:1'), '--project', 'Lab'])
  expect([missing.code, missing.out]).toEqual([1, expect.stringContaining('without credentials, or it does not exist')])
  const login = ['registries', 'login', registry.host, '--user', 'ada', '--project', 'Lab']
  const wrong = await berth(login, { input: 'not-the-password\n' })
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('does not accept this user name and password')])
  expect(wrong.err).toContain('(registry_refused)')
  expect((await berth(['registries'])).out).not.toContain('ada')
  expect((await berth(login, { input: `${PASSWORD}\n` })).out).toMatch(/^Credentials for [\d.]+:\d+ saved \(id 1\)\.$/m)
  expect((await berth(['registries'])).out).toMatch(/1 +[\d.]+:\d+ +ada +project 1 +ok/)
  expect((await berth(['registries', 'check', registry.host])).out).toContain('accepts the credentials')
  expect((await berth(['images', 'check', image('team/web:1'), '--project', 'Lab'])).out).toContain(first)
  const answers = JSON.stringify([await lab.owner.call('registries.list'), await lab.owner.call('audit.list', {})])
  expect(answers).toContain('registry.create')
  expect(answers).not.toContain(PASSWORD)
})

it('an app runs the digest of its tag, follows the tag when asked, and rolls back to the very bytes', async () => {
  await berth(['apps', 'create', 'web', '--project', 'Lab', '--image', image('team/web:1'), '--port', '8080'])
  web = (await lab.owner.call('apps.listAll')).filter(({ name }) => name === 'web')[0] as Application // made one line above
  expect(web).toMatchObject({ builder: 'image', image: image('team/web:1'), git_clone_url: '' })
  const deployed = await lab.deploy(web.id)
  expect(deployed).toMatchObject({ status: 'success', error_message: '', image_ref: `${image('team/web:1')}@${first}` })
  expect(await lab.visit(web)).toBe(`${OWN} first`)
  expect((await berth(['apps', 'check-image', 'web'])).out).toContain('is already live')

  const second = await registry.push(local('second'), 'team/web:1')
  expect(second).not.toBe(first)
  expect((await berth(['apps', 'check-image', 'web', '--deploy'])).out).toContain(`is newer: ${second}`)
  expect(await newest(web.id)).toMatchObject({ status: 'success', image_ref: `${image('team/web:1')}@${second}` })
  expect(await lab.visit(web)).toBe(`${OWN} second`)

  const back = await lab.owner.call('deployments.rollback', { deploymentId: deployed.id })
  expect(await lab.ended(back.id)).toMatchObject({ status: 'success', image_ref: `${image('team/web:1')}@${first}` })
  expect(await lab.visit(web)).toBe(`${OWN} first`)
})

it('a tag that moved is deployed by the poll, and by the deploy hook', async () => {
  await lab.owner.call('apps.update', { appId: web.id, pollSource: true })
  const before = (await lab.owner.call('deployments.list', { appId: web.id })).length
  const third = await registry.push(BUSYBOX_IMAGE, 'team/other:1')
  expect(third).not.toBe('')
  await lab.owner.call('apps.update', { appId: web.id, image: image('team/web:2') })
  const moved = await registry.push(local('second'), 'team/web:2')
  await lab.deploy(web.id)
  await until(
    async () => lab.rows<{ commit_hash: string }>('select commit_hash from source_poll where app_id = ?', web.id)[0]?.commit_hash,
    (seen) => seen === moved,
  )
  const latest = await registry.push(local('first'), 'team/web:2')
  const polled = await until(
    async () => (await lab.owner.call('deployments.list', { appId: web.id }))[0],
    (last) => last?.trigger === 'poll',
  )
  expect(await lab.ended(polled?.id ?? 0)).toMatchObject({ status: 'success', image_ref: `${image('team/web:2')}@${latest}` })
  expect((await lab.owner.call('deployments.list', { appId: web.id })).length).toBe(before + 2)
  await lab.owner.call('apps.update', { appId: web.id, pollSource: false })

  const { secret } = await lab.owner.call('apps.rotateHook', { appId: web.id })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const call = async (body: string) => await fetch(`${lab.berth.baseUrl}/api/hooks/deploy/${web.id}`, { method: 'POST', headers, body })
  expect((await call('{}')).status).toBe(200)
  expect(await newest(web.id)).toMatchObject({ status: 'success', trigger: 'hook' })
  expect(await (await call('{"branch":"main"}')).json()).toMatchObject({ error: expect.stringContaining('runs a ready image') })
})

it('what the credentials of one project pulled is of no use to another, by any name', async () => {
  const other = await lab.owner.call('projects.create', { name: 'Other' })
  const byDigest = `${image('team/web')}@${first}`
  expect(await lab.engine.images.exists(byDigest)).toBe(false)
  for (const name of [image('team/web:1'), byDigest])
    expect(await failed(await appOf(other.id, { image: name }))).toContain('without credentials, or it does not exist')
  const built = await lab.createAppIn(other.id, { Dockerfile: `FROM ${byDigest}\n` })
  expect(await failed(built)).toContain('without credentials, or it does not exist')
  const compose = { 'compose.yaml': `services:\n  web:\n    image: ${byDigest}\n` }
  expect(await failed(await lab.createAppIn(other.id, compose, { change: { appType: 'compose' } }))).toContain('without credentials')
})

it('the credentials of a project serve services of a compose file', async () => {
  const compose = { 'compose.yaml': `services:\n  web:\n    image: ${image('team/web:1')}\n    expose: ["8080"]\n` }
  const stack = await lab.createApp(compose, { appType: 'compose' })
  expect(await lab.deploy(stack.id)).toMatchObject({ status: 'success', error_message: '' })
})

it('the credentials of a project serve base images, and those of another project do not', async () => {
  await using plain = await startImageRegistry({ over: 'http' })
  await plain.setPassword('ada', PASSWORD)
  const base = `${plain.host}/team/base@${await plain.push(local('first'), 'team/base:1')}`
  const Dockerfile = dockerfile([], 'exec httpd -f -p "$PORT" -h /www').replace(BUSYBOX_IMAGE, base)
  const built = await lab.createApp({ Dockerfile })
  expect(await failed(built)).toMatch(/no basic auth|base image is private/i)
  await lab.owner.call('registries.create', { host: plain.host, username: 'ada', password: PASSWORD, projectId: lab.project.id })
  expect(await lab.deploy(built.id)).toMatchObject({ status: 'success', error_message: '' })
  expect(await lab.visit(built)).toBe(`${OWN} first`)
  const other = await lab.owner.call('projects.create', { name: 'Without credentials' })
  expect(await failed(await lab.createAppIn(other.id, { Dockerfile }))).toContain('without credentials')
})

it('says what is wrong, and what to do about it', async () => {
  const { id: projectId } = lab.project
  expect(await failed(await appOf(projectId, { image: image('team/web:nine') }))).toContain('Check its name and its tag')
  expect(await failed(await appOf(projectId, { image: 'registry.nowhere.invalid/web:1' }))).toContain(
    'could not be found. Check its spelling',
  )
  await registry.setPassword('ada', 'another-password')
  expect(await failed(web)).toContain('save new credentials under Registries')
  expect(await lab.visit(web)).toBe(`${OWN} first`) // what served goes on
  const check = await berth(['registries', 'check', registry.host])
  expect([check.code, check.out]).toEqual([1, expect.stringContaining('have expired or were revoked')])
  expect((await berth(['registries', 'delete', registry.host, '--yes'])).out).toContain('deleted')
})

it('images that no release needs are removed', async () => {
  const pattern = `berth/pulled-${lab.instance}-*:release`
  expect((await lab.engine.images.names(pattern)).length).toBeGreaterThan(0)
  for (const { id } of await lab.owner.call('apps.listAll')) await lab.owner.call('apps.delete', { appId: id })
  await until(
    async () => await lab.engine.images.names(pattern),
    (names) => names.length === 0,
  )
})

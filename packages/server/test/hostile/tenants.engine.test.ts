import { randomBytes } from 'node:crypto'
import type { ApplicationChange, NewApplication } from '@berth/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownedBy } from '../../src/engine/labels.ts'
import type { FileMap } from '../../testing/harness/git-server.ts'
import type { Person } from '../../testing/harness/start-test-server.ts'
import { BUSYBOX_IMAGE } from '../../testing/images/test-images.ts'
import { type DeployLab, dockerfile, openDeployLab, webFiles } from '../../testing/labs/deploy-lab.ts'

/** What only Alice may read: it is in her image, in her cache and in what her build steps left. */
const SECRET = `alice-${randomBytes(8).toString('hex')}`
const CACHE_ID = `cache-${randomBytes(4).toString('hex')}`
const WRITES_CACHE = `RUN --mount=type=cache,id=${CACHE_ID},target=/cache echo ${SECRET} > /cache/kept`

type Victim = { appId: number; deploymentId: number; imageId: string; tags: readonly string[]; log: string }
type Try = { files: FileMap; change?: Partial<NewApplication>; settings?: Partial<ApplicationChange> }

let lab: DeployLab
let bob: Person
let bobsProject = 0
let victim: Victim

beforeAll(async () => {
  lab = await openDeployLab({ env: { BERTH_PRIVATE_SOURCES: 'localhost' } })
  const alice = await lab.berth.as('alice')
  bob = await lab.berth.as('bob')
  bobsProject = (await bob.call('projects.create', { name: 'Bob' })).id
  const project = await alice.call('projects.create', { name: 'Alice' })
  const app = await appIn(alice, project.id, { files: webFiles('of alice', [`RUN echo ${SECRET} > /secret`, WRITES_CACHE]) })
  const deployment = await lab.deploy(app.id)
  if (deployment.status !== 'success') throw new Error(deployment.error_message)
  const [image] = await lab.engine.images.list({ labels: ownedBy({ instance: lab.instance, appId: app.id }) })
  const log = await lab.log(deployment.id)
  victim = { appId: app.id, deploymentId: deployment.id, imageId: image?.id ?? '', tags: image?.tags ?? [], log }
})
afterAll(async () => await lab[Symbol.asyncDispose]())

async function appIn(person: Person, projectId: number, wanted: Try) {
  const { url } = await lab.git.createRepository({ files: wanted.files })
  const name = `app ${randomBytes(4).toString('hex')}`
  const source = { gitCloneUrl: url.replace('127.0.0.1', 'localhost'), gitBranch: 'main' }
  return await person.call('apps.create', { projectId, name, port: 8080, ...source, ...wanted.change })
}

/** All that Bob gets to read of a deployment: its log, its answer, and what its containers print. */
async function bobReads(wanted: Try): Promise<string> {
  const app = await appIn(bob, bobsProject, wanted)
  const deployment = await lab.deploy(app.id)
  const printed = await bob.call('containers.logs', { appId: app.id }).catch(() => ({ logs: '' }))
  return [await bob.call('deployments.log', { deploymentId: deployment.id }), JSON.stringify(deployment), printed.logs].join('\n')
}

const prints = (lines: readonly string[]): Try => ({ files: { Dockerfile: [...lines, 'CMD ["/bin/sh"]', ''].join('\n') } })
const composed = (service: string): Try => ({
  files: { 'compose.yaml': `services:\n  web:\n    ${service.split('\n').join('\n    ')}\n    expose: [8080]\n` },
  change: { appType: 'compose' },
})
const FROM = `FROM ${BUSYBOX_IMAGE}`
/** Never the same step twice: of two identical concurrent builds only one prints its output. */
const show = (path: string) => `RUN cat ${path} # ${randomBytes(4).toString('hex')}`

describe('the image of another project', () => {
  it('has a name that nothing shows', async () => {
    expect(victim.tags).toHaveLength(1)
    const [name = ''] = victim.tags
    expect(name).toMatch(/^berth\/[0-9a-f]{32}:release$/)
    const answers = [
      victim.log,
      await lab.owner.call('deployments.get', { id: victim.deploymentId }),
      await lab.owner.call('deployments.list', { appId: victim.appId }),
      await lab.owner.call('apps.get', { appId: victim.appId }),
      lab.rows('select data from event'),
      lab.rows('select before, after from audit'),
      lab.berth.log(),
    ]
    const random = name.slice('berth/'.length, -':release'.length)
    for (const answer of answers) expect(JSON.stringify(answer)).not.toContain(random)
  })

  it('is reached by no name that could be guessed', async () => {
    const old = (n: string) => `berth/app-${victim.appId}:d${n}-${lab.instance}`
    const name = old(String(victim.deploymentId))
    const id = victim.imageId.replace('sha256:', '')
    const tries: Try[] = [
      prints([`FROM ${name}`, show('/secret')]),
      prints([FROM, `COPY --from=${name} /secret /copied`, show('/copied')]),
      prints([FROM, `RUN --mount=from=${name},target=/other cat /other/secret # ${randomBytes(4).toString('hex')}`]),
      prints([
        'ARG APP=app',
        `ARG NUMBER=${victim.appId}`,
        `FROM berth/\${APP}-\${NUMBER}:d${victim.deploymentId}-${lab.instance}`,
        show('/secret'),
      ]),
      prints([`FROM ${name} AS other`, FROM, 'COPY --from=other /secret /copied', show('/copied')]),
      prints([`FROM docker.io/${name}`, show('/secret')]),
      prints([`FROM ${id}`, show('/secret')]),
      prints([`FROM ${id.slice(0, 12)}`, show('/secret')]),
      prints([`FROM sha256:${id}`, show('/secret')]),
      prints([`FROM berth/${'0'.repeat(32)}@sha256:${id}`, show('/secret')]),
      prints([FROM, `COPY --from=${id} /secret /copied`, show('/copied')]),
      composed(`image: ${name}\ncommand: [cat, /secret]`),
      composed(`image: ${id}\ncommand: [cat, /secret]`),
      composed(`image: "${id.slice(0, 12)}"\ncommand: [cat, /secret]`),
      composed(`image: "${id.slice(0, 3)}"\ncommand: [cat, /secret]`),
      composed(`image: sha256:${id}\ncommand: [cat, /secret]`),
      composed(`image: sha256:${id.slice(0, 6)}\ncommand: [cat, /secret]`),
      composed(`image: berth@sha256:${id}\ncommand: [cat, /secret]`),
    ]
    const seen = await Promise.all(tries.map(async (one) => await bobReads(one)))
    for (const [index, text] of seen.entries()) expect([index, text]).toEqual([index, expect.not.stringContaining(SECRET)])
  })

  it('that had a name of that kind gets another one at the next start, and rollback and restore still find it', async () => {
    const app = await lab.createApp(webFiles('first'))
    const first = await lab.deploy(app.id)
    await app.repository.commit({ files: webFiles('second') })
    const second = await lab.deploy(app.id)
    const images = async () => await lab.engine.images.list({ labels: ownedBy({ instance: lab.instance, appId: app.id }) })
    const old = (id: number) => `berth/app-${app.id}:d${id}-${lab.instance}`
    await lab.writes((file) => {
      for (const { id } of [first, second]) file.prepare('update deployment set image = ? where id = ?').run(old(id), id)
      file.prepare("delete from fact where name = 'images_renamed'").run()
    })
    for (const image of await images()) {
      const deploymentId = Number(image.owner.deploymentId)
      await lab.engine.images.tag(image.id, old(deploymentId))
      for (const tag of image.tags) await lab.engine.images.remove(tag)
    }
    await lab.berth.restart()
    const names = (await images()).flatMap(({ tags }) => tags)
    expect(names).toHaveLength(2)
    for (const name of names) expect(name).toMatch(/^berth\/[0-9a-f]{32}:release$/)
    const { id } = await lab.owner.call('deployments.rollback', { deploymentId: first.id })
    expect(await lab.ended(id)).toMatchObject({ status: 'success' })
    expect(await lab.visit(app)).toBe('first')
  })
})

describe('the build cache of another project', () => {
  it('shows nothing of its cache mounts, whatever namespace is asked for', async () => {
    const mount = (id: string) =>
      `RUN --mount=type=cache,id=${id},target=/cache cat /cache/kept || true # ${randomBytes(4).toString('hex')}`
    const scope = /berth-[0-9a-f]{24}/.exec(victim.log)?.[0] ?? 'berth'
    const tries = [
      prints([FROM, mount(CACHE_ID)]),
      prints([FROM, 'ARG BUILDKIT_CACHE_MOUNT_NS=', mount(CACHE_ID)]),
      prints([FROM, `ARG BUILDKIT_CACHE_MOUNT_NS=${scope}`, mount(CACHE_ID)]),
      prints([FROM, mount(`../${CACHE_ID}`)]),
      prints([FROM, mount(`/${CACHE_ID}`)]),
      prints([FROM, `RUN --mount=type=cache,id=${CACHE_ID},target=/cache,sharing=private cat /cache/kept || true`]),
    ]
    const seen = await Promise.all(tries.map(async (one) => await bobReads(one)))
    for (const text of seen) expect(text).not.toContain(SECRET)
    const args = composed(`build: { context: ., args: { BUILDKIT_CACHE_MOUNT_NS: "" } }`)
    const asked = await bobReads({ ...args, files: { ...args.files, Dockerfile: [FROM, mount(CACHE_ID), ''].join('\n') } })
    expect(asked).toContain('build.args.BUILDKIT_CACHE_MOUNT_NS is not allowed')
  })

  it('does not give away what the same step made there, and is used again by the project itself', async () => {
    const key = `RUN head -c 8 /dev/urandom | od -An -tx1 > /key && echo "key:$(cat /key)" # ${randomBytes(4).toString('hex')}`
    const files = { Dockerfile: dockerfile([key], 'echo "key:$(cat /key)"; exec httpd -f -p "$PORT" -h /www') }
    const keyIn = (text: string) => /key:( [0-9a-f]{2})+/.exec(text)?.[0]
    const alice = await lab.berth.as('alice')
    const project = await alice.call('projects.create', { name: 'Keys' })
    const [one, two] = [await appIn(alice, project.id, { files }), await appIn(alice, project.id, { files })]
    const keys: (string | undefined)[] = []
    for (const app of [one, two]) {
      expect(await lab.deploy(app.id)).toMatchObject({ status: 'success' })
      keys.push(keyIn((await alice.call('containers.logs', { appId: app.id })).logs))
    }
    expect(keys[0]).toBeTypeOf('string')
    expect(keys[1]).toBe(keys[0]) // of one project: the second build took the step from the cache
    expect(keyIn(await bobReads({ files }))).not.toBe(keys[0])
  })
})

it('labels of an image do not assign its container to another app', async () => {
  const alice = await lab.berth.as('alice')
  const project = await alice.call('projects.create', { name: 'Composed' })
  const services = { web: { image: BUSYBOX_IMAGE, command: ['httpd', '-f', '-p', '8080', '-h', '/www'], expose: [8080] } }
  const app = await appIn(alice, project.id, { files: { 'compose.yaml': JSON.stringify({ services }) }, change: { appType: 'compose' } })
  expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
  const name = `berth-${lab.instance}-app-${app.id}`
  const forged = ['project=' + name, 'service=web', 'oneoff=False', 'container-number=2', 'config-hash=x', 'version=1.29.2']
  const labels = `LABEL ${forged.map((label) => `com.docker.compose.${label}`).join(' ')} berth.app=${app.id}`
  const stranger = await appIn(bob, bobsProject, { files: webFiles('of bob', [labels, 'HEALTHCHECK --interval=1ms CMD true']) })
  expect(await lab.deploy(stranger.id)).toMatchObject({ status: 'success', error_message: '' })
  expect(await lab.engine.containers.list({ labels: { 'com.docker.compose.project': name } })).toEqual([])
  const [bobs] = await lab.containersOf(stranger.id)
  await alice.call('apps.update', { appId: app.id, description: 'Deployed again' })
  expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
  expect((await lab.containersOf(stranger.id)).map(({ id }) => id)).toEqual([bobs?.id])
})

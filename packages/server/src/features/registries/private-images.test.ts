import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { imageParts } from '../../engine/image-reference.ts'
import type { RegistryCredentials, ResolvedImage } from '../../engine/registry.ts'
import { RegistryError } from '../../engine/registry-failure.ts'
import { createLimiter } from '../../lib/limiter.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { aboutPassword, createCredentials } from './credentials.ts'
import { createPrivateImageNotes } from './private-images.ts'
import { insertRegistry, updateRegistry } from './store.ts'
import { createRegistryVisits } from './visits.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const SECRET = 'registry.example.com/shop/base'
const LIE = 'liar.example.net/any/thing'
const FACTS = { platform: 'linux/amd64', version: '', cgroupDriver: '', directory: '', containersRunning: 0, containersTotal: 0, images: 0 }
const { signal } = new AbortController()

/** The first shows its image to those with the password, Docker Hub has nginx, and every other one shows its own people whatever they ask for. */
const asked: string[] = []
async function askRegistry(name: string, credentials: RegistryCredentials | undefined): Promise<ResolvedImage> {
  asked.push(name)
  const parts = imageParts(name)
  if (parts === null) throw new Error(name)
  if (parts.host === 'registry.example.com' && credentials?.password !== 'shop-password')
    throw new RegistryError('unauthorized', `${SECRET} needs credentials.`)
  if (parts.host === 'docker.io' && parts.repository !== 'docker.io/library/nginx')
    throw new RegistryError('missing', `${name} does not exist.`)
  if (parts.host === 'miser.example.net' && credentials === undefined) throw new RegistryError('unauthorized', 'Not for you.')
  return { ...parts, digest: DIGEST, platforms: [] }
}

async function openWorld() {
  const test = await openTestDatabase()
  const { db } = test
  const secrets = createSecretBox(randomBytes(32))
  const credentials = createCredentials({ db, secrets })
  const visits = createRegistryVisits({
    engine: {
      registry: { resolve: askRegistry, login: async () => undefined },
      facts: async () => FACTS,
    },
    policy: { admitHost: async () => undefined },
    credentials,
    gate: { refuseHost: async () => undefined, refuseFor: async () => undefined },
    limiter: createLimiter({ running: 1, runningPerKey: 1, waiting: 1, waitingPerKey: 1, waitMs: 1 }),
    privateImages: createPrivateImageNotes({ db }),
    instance: 'abc',
  })
  const projectWith = async (email: string, host?: string, password = '') => {
    const { project_id } = await addApp(db, email)
    if (host !== undefined)
      await db.transaction(async (tx) => {
        const row = {
          host,
          username: 'u',
          sealed_password: '',
          user_id: null,
          project_id,
          created_by: null,
          error: '',
          created_at: '',
          updated_at: '',
        }
        const id = await insertRegistry(tx, row)
        await updateRegistry(tx, id, { sealed_password: secrets.seal(password, aboutPassword(id)) })
      })
    return project_id
  }
  return { visits, projectWith, [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose]() }
}

it.each([`${SECRET}@${DIGEST}`, `${SECRET}:1`])('the bytes of %s are used by nobody else, under whatever name', async (base) => {
  await using world = await openWorld()
  const shop = await world.projectWith('shop@example.test', 'registry.example.com', 'shop-password')
  const sibling = await world.projectWith('sibling@example.test', 'registry.example.com', 'shop-password')
  const stranger = await world.projectWith('stranger@example.test')
  const liar = await world.projectWith('liar@example.test', 'liar.example.net', 'anything')
  const { refuseOthersDigest, resolve } = world.visits
  await refuseOthersDigest(base, shop, signal)
  for (const projectId of [stranger, liar]) {
    const refusal = { kind: 'unauthorized', message: expect.not.stringContaining(SECRET) }
    await expect(refuseOthersDigest(`${LIE}@${DIGEST}`, projectId, signal)).rejects.toMatchObject(refusal)
    await expect(resolve(`${LIE}:1`, { projectId, personId: null })).rejects.toMatchObject(refusal)
  }
  await refuseOthersDigest(`${LIE}@${DIGEST}`, sibling, signal)
  await refuseOthersDigest(`${SECRET}@${DIGEST}`, shop, signal)
})

it('a registry is asked once, however many projects got the image there', async () => {
  await using world = await openWorld()
  const people = ['a@example.test', 'b@example.test', 'c@example.test', 'd@example.test']
  const projects = await Promise.all(people.map(async (email) => await world.projectWith(email, 'registry.example.com', 'shop-password')))
  for (const projectId of projects.slice(1)) await world.visits.refuseOthersDigest(`${SECRET}@${DIGEST}`, projectId, signal)
  asked.length = 0
  await world.visits.refuseOthersDigest(`mirror.example.org/x@${DIGEST}`, projects[0] ?? 0, signal)
  expect(asked).toEqual([`${SECRET}@${DIGEST}`])
})

it('who claims a digest before its owner comes gets nothing of it', async () => {
  await using world = await openWorld()
  const liar = await world.projectWith('liar@example.test', 'liar.example.net', 'anything')
  const shop = await world.projectWith('shop@example.test', 'registry.example.com', 'shop-password')
  const { refuseOthersDigest, resolve } = world.visits
  await refuseOthersDigest(`${LIE}@${DIGEST}`, liar, signal)
  await refuseOthersDigest(`${SECRET}@${DIGEST}`, shop, signal)
  await expect(refuseOthersDigest(`${LIE}@${DIGEST}`, liar, signal)).rejects.toMatchObject({ kind: 'unauthorized' })
  await expect(resolve(`${LIE}:1`, { projectId: liar, personId: null })).rejects.toMatchObject({ kind: 'unauthorized' })
})

it('nobody keeps others from a public image by claiming its digest', async () => {
  await using world = await openWorld()
  const miser = await world.projectWith('miser@example.test', 'miser.example.net', 'anything')
  const other = await world.projectWith('other@example.test')
  const { refuseOthersDigest, resolve } = world.visits
  await refuseOthersDigest(`miser.example.net/x@${DIGEST}`, miser, signal)
  expect(await resolve('nginx:1.27', { projectId: other, personId: null })).toMatchObject({ digest: DIGEST })
  await expect(refuseOthersDigest(`nginx@${DIGEST}`, other, signal)).resolves.toBeUndefined()
  await expect(refuseOthersDigest(`docker.io/some/thing@${DIGEST}`, other, signal)).rejects.toMatchObject({ kind: 'unauthorized' })
})

it('what nobody needed credentials for can be used by everybody', async () => {
  await using world = await openWorld()
  const [one, other] = [await world.projectWith('one@example.test'), await world.projectWith('other@example.test')]
  await world.visits.refuseOthersDigest(`${LIE}@${DIGEST}`, one, signal)
  await expect(world.visits.refuseOthersDigest(`mirror.example.org/x@${DIGEST}`, other, signal)).resolves.toBeUndefined()
})

const ID = `sha256:${'b'.repeat(64)}`
const NOBODY = { instance: null, projectId: null, appId: null, deploymentId: null, definition: null, service: null, replica: 1 }

/** Two projects with credentials of their own, and an image that the first one has got. */
async function openShop() {
  const world = await openWorld()
  const shop = await world.projectWith('shop@example.test', 'registry.example.com', 'shop-password')
  const liar = await world.projectWith('liar@example.test', 'liar.example.net', 'anything')
  const admit = async (image: Partial<Parameters<typeof world.visits.admit>[0]>, name: string, projectId: number) => {
    const parts = imageParts(name)
    if (parts === null) throw new Error(name)
    const digest = name.startsWith(SECRET) ? DIGEST : `sha256:${'c'.repeat(64)}`
    await world.visits.admit({ id: ID, tags: [], owner: NOBODY, ...image }, { ...parts, digest }, { user: { projectId, personId: null } })
  }
  await admit({}, `${SECRET}:1`, shop)
  return { ...world, shop, liar, admit }
}

it('an image that a project got with its credentials is used by nobody else through a manifest that names its id', async () => {
  await using world = await openShop()
  const refusal = { kind: 'unauthorized', message: expect.not.stringContaining(SECRET) }
  await expect(world.admit({}, `${LIE}:1`, world.liar)).rejects.toMatchObject(refusal)
  const ofCompose = world.visits.refuseOthersImage({ id: ID, tags: [], owner: NOBODY }, `${LIE}:1`, { projectId: world.liar, signal })
  await expect(ofCompose).rejects.toMatchObject(refusal)
  asked.length = 0
  await expect(world.admit({}, `${SECRET}:2`, world.shop)).resolves.toBeUndefined()
  await expect(world.admit({}, 'nginx:1.27', world.liar)).resolves.toBeUndefined()
  const sibling = await world.projectWith('sibling@example.test', 'registry.example.com', 'shop-password')
  await expect(world.admit({}, 'registry.example.com/shop/other:1', sibling)).resolves.toBeUndefined()
  expect(asked).toEqual([])
  await expect(world.admit({}, 'mirror.example.org/x:1', sibling)).resolves.toBeUndefined()
  expect(asked).toEqual([`${SECRET}@${DIGEST}`])
})

it('an image that was built here is pulled by its own project alone', async () => {
  await using world = await openShop()
  const built = { id: `sha256:${'d'.repeat(64)}`, tags: [`berth/${'e'.repeat(32)}:release`] }
  const owner = { ...NOBODY, instance: 'abc', projectId: world.shop }
  const pulls = (projectId: number, instance = 'abc') => world.admit({ ...built, owner: { ...owner, instance } }, `${LIE}:1`, projectId)
  await expect(pulls(world.shop)).resolves.toBeUndefined()
  await expect(pulls(world.liar)).rejects.toMatchObject({ kind: 'unauthorized' })
  await expect(pulls(world.shop, 'another')).rejects.toMatchObject({ kind: 'unauthorized' })
})

it('who only asks for a digest keeps nobody from it', async () => {
  await using world = await openWorld()
  const liar = await world.projectWith('liar@example.test', 'miser.example.net', 'anything')
  const shop = await world.projectWith('shop@example.test', 'registry.example.com', 'shop-password')
  await world.visits.resolve('miser.example.net/x:1', { projectId: liar, personId: null })
  expect(await world.visits.resolve(`${SECRET}:1`, { projectId: shop, personId: null })).toMatchObject({ digest: DIGEST })
})

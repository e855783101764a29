import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../../../testing/harness/test-database.ts'
import { createSecretBox } from '../../../../lib/secret-box.ts'
import { noteDeployment } from '../../store.ts'
import { addFilled, readFilled } from './filled-volumes.ts'
import { createSharedPlans } from './shared-plans.ts'
import { forgetPlans } from './shared-plans-store.ts'

const SECRET = 'a-value-of-the-environment'

/** Two nodes, with a deployment of a compose app whose plan is not stored yet. */
async function openTwo() {
  const test = await openTestDatabase()
  const app = await addApp(test.db, 'owner@example.test')
  const { id: deploymentId } = await addDeployment(test.db, app, { sealed_config: 'x', image: '' })
  const change = { main_service: 'web' }
  await test.db.transaction(async (tx) => await noteDeployment(tx, { id: deploymentId, status: 'deploying', at: new Date(), change }))
  const secrets = createSecretBox(Buffer.alloc(32, 7))
  const open = async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'berth-plans-'))
    const directory = join(dataDir, 'compose', `app-${app.id}`, `d${deploymentId}`)
    return { dataDir, directory, plans: createSharedPlans({ db: test.db, secrets, dataDir }) }
  }
  const [a, b] = [await open(), await open()]
  return {
    ...test,
    a,
    b,
    appId: app.id,
    deploymentId,
    again: () => createSharedPlans({ db: test.db, secrets, dataDir: b.dataDir }),
    async [Symbol.asyncDispose]() {
      for (const { dataDir } of [a, b]) await rm(dataDir, { recursive: true })
      await test[Symbol.asyncDispose]()
    },
  }
}

async function write(directory: string, files: Readonly<Record<string, Buffer | string>>): Promise<void> {
  await mkdir(join(directory, 'files'), { recursive: true })
  for (const [path, contents] of Object.entries(files)) await writeFile(join(directory, path), contents)
}

const read = async (directory: string, path: string) => await readFile(join(directory, path))

it('another node gets the plan with its files, and the volumes that contain data, and nothing is readable in the database', async () => {
  await using test = await openTwo()
  const { a, b, db, appId, deploymentId } = test
  const bytes = Buffer.from([0, 255, 128, 10])
  await write(a.directory, { 'plan.json': JSON.stringify({ services: [], env: SECRET }), 'files/abc': bytes })
  await addFilled(a.directory, ['volume-1'])
  await addFilled(b.directory, ['volume-2'])
  expect(await b.plans.fetch({ appId, deploymentId })).toBe(false)
  await a.plans.store(appId, [deploymentId, undefined])
  await b.plans.fetchApp(appId)
  expect(await read(b.directory, 'plan.json')).toEqual(await read(a.directory, 'plan.json'))
  expect(await read(b.directory, 'files/abc')).toEqual(bytes)
  expect([...(await readFilled(b.directory))].toSorted()).toEqual(['volume-1', 'volume-2'])
  const stored = JSON.stringify(await db.selectFrom('deployment_file').selectAll().execute())
  expect(stored).not.toContain(SECRET)
  expect(stored).not.toContain(Buffer.from(SECRET).toString('base64').slice(4, 20))
})

it('a plan that was changed is changed everywhere, and a copy that is cut off is completed', async () => {
  await using test = await openTwo()
  const { a, b, appId, deploymentId } = test
  await write(a.directory, { 'plan.json': '1', 'files/abc': 'abc', 'files/old': 'old' })
  await a.plans.store(appId, [deploymentId])
  expect(await b.plans.fetch({ appId, deploymentId })).toBe(true)
  await write(a.directory, { 'plan.json': '2' })
  await rm(join(a.directory, 'files/old'))
  await a.plans.store(appId, [deploymentId])
  expect(await b.plans.fetch({ appId, deploymentId })).toBe(true)
  expect(String(await read(b.directory, 'plan.json'))).toBe('2')
  expect(await readdir(join(b.directory, 'files'))).toEqual(['abc'])
  await rm(join(b.directory, 'plan.json'))
  await write(b.directory, { 'files/abc': 'a' }) // as after a crash in the middle of a copy
  expect(await test.again().fetch({ appId, deploymentId })).toBe(true)
  expect([String(await read(b.directory, 'plan.json')), String(await read(b.directory, 'files/abc'))]).toEqual(['2', 'abc'])
})

it('what a Berth without a name left is stored at the start, and forgotten with its release', async () => {
  await using test = await openTwo()
  const { a, b, db, appId, deploymentId } = test
  await write(a.directory, { 'plan.json': '1' })
  await b.plans.storeMissing()
  expect(await b.plans.fetch({ appId, deploymentId })).toBe(false)
  await a.plans.storeMissing()
  expect(await b.plans.fetch({ appId, deploymentId })).toBe(true)
  const rows = async () => {
    await db.transaction(async (tx) => await forgetPlans(tx))
    return (await db.selectFrom('deployment_file').selectAll().execute()).length
  }
  expect(await rows()).toBe(2)
  const ended = { status: 'failed', finished_at: new Date().toISOString() } as const
  await db.transaction(async (tx) => await tx.updateTable('deployment').set(ended).where('id', '=', deploymentId).execute())
  expect(await rows()).toBe(0)
})

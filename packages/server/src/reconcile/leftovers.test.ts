import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { enqueue } from '../domain/job-names.ts'
import type { Engine } from '../engine/engine.ts'
import { pulledImageName } from '../engine/image-names.ts'
import { createTurns, type InTurn } from '../lib/turns.ts'
import { createLeftovers } from './leftovers.ts'

it('a pulled image that a deployment has begun to use since the sweep looked is kept', async () => {
  await using test = await openTestDatabase()
  await using directory = await mkdtempDisposable(path.join(tmpdir(), 'berth-leftovers-'))
  const app = await addApp(test.db, 'a@example.test')
  const [used, unused] = ['a', 'b'].map((digit) =>
    pulledImageName({ instance: 'i', projectId: app.project_id, secret: digit.repeat(32) }),
  ) as [string, string] // as many as digits
  const removed: string[] = []
  const inTurn = createTurns<string>()
  const images = {
    list: async () => [],
    names: async () => [used, unused],
    remove: async (name: string) => void removed.push(name),
  }
  const engine = { images, networks: { list: async () => [] }, lentContainers: { list: async () => [] } } as unknown as Engine // what a sweep uses of it
  const asked = Promise.withResolvers<void>() // the sweep has looked, and waits for its turn
  const turn = inTurn(used, async () => {
    await asked.promise
    await addDeployment(test.db, app, { sealed_config: '', image: used })
  })
  const inImageTurn: InTurn<string> = async (name, work) => {
    if (name === used) asked.resolve()
    return await inTurn(name, work)
  }
  const log = pino({ level: 'silent' })
  await createLeftovers({ db: test.db, engine, instance: 'i', dataDir: directory.path, inImageTurn, log }).sweep()
  await turn
  expect(removed).toEqual([unused])
})

it('a lent container is removed unless its app is busy or it marks a volume that is not filled yet', async () => {
  await using test = await openTestDatabase()
  await using directory = await mkdtempDisposable(path.join(tmpdir(), 'berth-leftovers-'))
  const [idle, busy] = [await addApp(test.db, 'a@example.test'), await addApp(test.db, 'b@example.test')]
  await test.db.transaction(async (tx) => {
    await enqueue(tx, 'app.remove', { appId: busy.id, projectId: busy.project_id, deleteVolumes: false }, { by: null, at: new Date() })
  })
  const gone = busy.id + 1
  const lent = [idle.id, busy.id, gone].flatMap((appId) =>
    [false, true].map((isFilling) => ({ id: `${appId} ${isFilling}`, name: '', appId, isFilling, mounts: [] })),
  )
  const removed: string[] = []
  const engine = {
    containers: { remove: async (id: string) => void removed.push(id) },
    images: { list: async () => [], names: async () => [] },
    networks: { list: async () => [] },
    lentContainers: { list: async () => lent },
  } as unknown as Engine // what a sweep uses of it
  const log = pino({ level: 'silent' })
  await createLeftovers({ db: test.db, engine, instance: 'i', dataDir: directory.path, inImageTurn: createTurns(), log }).sweep()
  expect(removed).toEqual([`${idle.id} false`, `${gone} false`, `${gone} true`])
})

it('images of an app whose plan only another node has are kept, and plans are copied before images are judged', async () => {
  await using test = await openTestDatabase()
  await using directory = await mkdtempDisposable(path.join(tmpdir(), 'berth-leftovers-'))
  const [known, unknown] = [await addApp(test.db, 'a@example.test'), await addApp(test.db, 'b@example.test')]
  for (const app of [known, unknown]) {
    const { id } = await addDeployment(test.db, app, { sealed_config: '', image: '' })
    await test.db.transaction(async (tx) => await tx.updateTable('deployment').set({ main_service: 'web' }).where('id', '=', id).execute())
  }
  const removed: string[] = []
  const imagesOf = ({ id: appId }: { id: number }) =>
    ['used', 'unused'].map((name) => ({ id: name, tags: [`berth/${appId}:${name}`], owner: { appId } }))
  const engine = {
    images: {
      list: async () => [...imagesOf(known), ...imagesOf(unknown)],
      names: async () => [],
      remove: async (name: string) => void removed.push(name),
    },
    networks: { list: async () => [] },
    lentContainers: { list: async () => [] },
  } as unknown as Engine // what a sweep uses of it
  const fetchPlan = async ({ appId, deploymentId }: { appId: number; deploymentId: number }) => {
    if (appId === unknown.id) return false
    const plan = path.join(directory.path, 'compose', `app-${appId}`, `d${deploymentId}`)
    await mkdir(plan, { recursive: true })
    await writeFile(path.join(plan, 'plan.json'), JSON.stringify({ services: [{ image: `berth/${appId}:used` }], builds: [] }))
    return true
  }
  const log = pino({ level: 'silent' })
  const given = { db: test.db, engine, instance: 'i', dataDir: directory.path, inImageTurn: createTurns<string>(), log }
  await createLeftovers({ ...given, fetchPlan }).sweep()
  expect(removed).toEqual([`berth/${known.id}:unused`])
})

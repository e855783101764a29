import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../../testing/harness/test-database.ts'
import { listDeployments } from '../history/lists-store.ts'
import { moveDeployment } from '../store.ts'
import { createCleanUp } from './clean-up.ts'

it.each([
  ['web', ['i1', 'i2']],
  ['database', []],
] as const)('a %s app keeps the last releases for rollbacks, and these images of older ones are removed: %s', async (app_type, removed) => {
  await using test = await openTestDatabase()
  const app = { ...(await addApp(test.db, 'a@example.test')), app_type }
  for (const image of ['i1', 'i2', 'i3', 'i4']) {
    const { id } = await addDeployment(test.db, app, { sealed_config: 'sealed', image })
    await test.db.transaction(async (tx) => await moveDeployment(tx, { id, from: 'deploying', to: 'success', at: new Date() }))
  }
  const gone: string[] = []
  const removeImage = async (tag: string) => void gone.push(tag)
  await createCleanUp({ db: test.db, removeImage, dataDir: tmpdir(), retention: async () => 3 })(app)
  expect(gone.toSorted()).toEqual(removed)
  expect((await listDeployments(test.db, { appId: app.id })).map(({ image }) => image)).toEqual(['i4', 'i3', '', ''])
})

it('keeps a release that a rollback still waits for', async () => {
  await using test = await openTestDatabase()
  const app = await addApp(test.db, 'a@example.test')
  const ids: number[] = []
  for (const image of ['i1', 'i2']) {
    const { id } = await addDeployment(test.db, app, { sealed_config: 'sealed', image })
    await test.db.transaction(async (tx) => await moveDeployment(tx, { id, from: 'deploying', to: 'success', at: new Date() }))
    ids.push(id)
  }
  await addDeployment(test.db, app, { sealed_config: '', image: '', release_of: ids[0] ?? null })
  await createCleanUp({ db: test.db, removeImage: async () => undefined, dataDir: tmpdir(), retention: async () => 1 })(app)
  expect((await listDeployments(test.db, { appId: app.id })).map(({ image }) => image)).toEqual(['', '', 'i1'])
})

it('keeps a release that a rollback was requested to while others were removed', async () => {
  await using test = await openTestDatabase()
  const app = await addApp(test.db, 'a@example.test')
  const ids: number[] = []
  for (const image of ['i1', 'i2', 'i3']) {
    const { id } = await addDeployment(test.db, app, { sealed_config: 'sealed', image })
    await test.db.transaction(async (tx) => await moveDeployment(tx, { id, from: 'deploying', to: 'success', at: new Date() }))
    ids.push(id)
  }
  const gone: string[] = []
  const removeImage = async (tag: string) => {
    gone.push(tag)
    if (tag === 'i2') await addDeployment(test.db, app, { sealed_config: 'sealed', image: 'i1', release_of: ids[0] ?? null })
  }
  await createCleanUp({ db: test.db, removeImage, dataDir: tmpdir(), retention: async () => 1 })(app)
  expect(gone).toEqual(['i3', 'i2'])
  expect((await listDeployments(test.db, { appId: app.id })).map(({ image }) => image)).toEqual(['i1', '', '', 'i1'])
})

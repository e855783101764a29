import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { findDeployment } from '../../domain/rows.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { findReleaseFiles, insertReleaseFiles } from './release/store.ts'
import { createRecord } from './run/deployment-writes.ts'
import { forgetArtifact, insertDeployment, moveDeployment } from './store.ts'

it.each([
  ['failed', ''],
  ['stopped', ''],
  ['success', 'sealed'],
] as const)('a deployment that is %s keeps these settings and files: "%s"', async (to, kept) => {
  await using test = await openTestDatabase()
  const { id } = await addDeployment(test.db, await addApp(test.db, 'a@example.test'), { sealed_config: 'sealed', image: 'i' })
  await test.db.transaction(async (tx) => await insertReleaseFiles(tx, { deploymentId: id, appId: 1, sealed: 'sealed' }))
  await test.db.transaction(async (tx) => await moveDeployment(tx, { id, from: 'deploying', to, at: new Date() }))
  expect((await findDeployment(test.db, id))?.sealed_config).toBe(kept)
  expect(await findReleaseFiles(test.db, id)).toBe(kept)
})

it('a release that can no longer be rolled back to loses its settings and files', async () => {
  await using test = await openTestDatabase()
  const { id } = await addDeployment(test.db, await addApp(test.db, 'a@example.test'), { sealed_config: 'sealed', image: 'i' })
  await test.db.transaction(async (tx) => await moveDeployment(tx, { id, from: 'deploying', to: 'success', at: new Date() }))
  await test.db.transaction(async (tx) => await insertReleaseFiles(tx, { deploymentId: id, appId: 1, sealed: 'files' }))
  await test.db.transaction(async (tx) => await forgetArtifact(tx, id))
  expect(await findReleaseFiles(test.db, id)).toBe('')
  expect(await findDeployment(test.db, id)).toMatchObject({ image: '', sealed_config: '' })
})

it('a rollback that waits has no copy of the files; it gets them when it begins, and they are kept for it until then', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const to = await addDeployment(db, app, { sealed_config: 'sealed', image: 'i' })
  await db.transaction(async (tx) => await moveDeployment(tx, { id: to.id, from: 'deploying', to: 'success', at: new Date() }))
  await db.transaction(async (tx) => await insertReleaseFiles(tx, { deploymentId: to.id, appId: app.id, sealed: 'files' }))
  const commit = { hash: '', message: '', author: '' }
  const wanted = { app, trigger: 'rollback', triggeredBy: null, commit, rollback: { from: to.id, to }, at: new Date() } as const
  const row = await db.transaction(async (tx) => await insertDeployment(tx, wanted))
  expect(await findReleaseFiles(db, row.id)).toBe('')
  expect(await db.transaction(async (tx) => await forgetArtifact(tx, to.id))).toBe(false)
  await createRecord({ db, secrets: createSecretBox(Buffer.alloc(32, 1)), now: () => new Date() }).begin(row, { sealed: row.sealed_config })
  expect(await findReleaseFiles(db, row.id)).toBe('files')
})

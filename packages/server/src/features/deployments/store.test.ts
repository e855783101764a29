import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { findDeployment } from '../../domain/rows.ts'
import { findReleaseFiles, insertReleaseFiles } from './files-store.ts'
import { forgetArtifact, moveDeployment } from './store.ts'

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

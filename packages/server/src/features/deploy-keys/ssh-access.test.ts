import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { aboutKey } from './service.ts'
import { createSshAccess } from './ssh-access.ts'
import { deleteKey, findHostKey, saveKey } from './store.ts'

it('a host key is pinned where none is, or instead of the one that was there before the visit, and nowhere else', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const secrets = createSecretBox(Buffer.alloc(32, 1))
  const app = await addApp(db, 'a@example.test')
  await db.transaction(async (tx) => await saveKey(tx, app.id, { publicKey: 'p', sealed: secrets.seal('k', aboutKey(app.id)) }))
  const ssh = await createSshAccess({ db, secrets })(app)
  if (!ssh) throw new Error('an app with a key has access')
  expect(await ssh.hostKey()).toBe('')
  expect(await ssh.pin('a:22 x 1', '')).toBe(true)
  expect(await ssh.pin('a:22 x 2', '')).toBe(false) // of two first visits, one was answered by somebody else
  expect(await ssh.pin('a:22 x 1', '')).toBe(true)
  expect(await ssh.pin('b:22 x 3', 'a:22 x 1')).toBe(true) // the app has another host now
  expect(await findHostKey(db, app.id)).toBe('b:22 x 3')
  await db.transaction(async (tx) => await deleteKey(tx, app.id))
  expect(await ssh.pin('b:22 x 3', ''), 'after the deploy key was deleted').toBe(false)
  expect(await findHostKey(db, app.id)).toBe('')
})

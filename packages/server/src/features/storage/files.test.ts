import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { Caller } from '../../domain/caller.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { updateApp } from '../apps/store.ts'
import { createFiles } from './files.ts'
import { createCurrentFiles } from './release-files.ts'

async function openFiles() {
  const test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const { id, created_by } = app
  const origin = { address: '', requestId: '', isTls: false, client: '' }
  const caller: Caller = { id: created_by, email: 'a@example.test', role: 'owner', createdAt: '', sessionId: '', origin }
  const secrets = createSecretBox(randomBytes(32))
  const files = createFiles({ db, secrets, now: () => new Date() })
  const save = async (path: string, content: string, more: object = {}) =>
    await files.save(caller, app, { appId: id, path, content, ...more })
  return { db, app, caller, secrets, files, save, [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose]() }
}

it('a file is saved sealed, read back, replaced with its mode kept, and removed; the audit log names its path alone', async () => {
  await using test = await openFiles()
  const { db, app, caller, files, save } = test
  expect(await save('/app/config.json', '{"password":"hunter-22"}', { mode: '0400' })).toMatchObject({ mode: '0400', bytes: 24 })
  expect(await files.read(app, '/app/config.json')).toMatchObject({ content: '{"password":"hunter-22"}', encoding: 'utf8' })
  expect(await save('/app/config.json', 'new')).toMatchObject({ mode: '0400', bytes: 3 })
  expect(await files.list(app)).toMatchObject([{ path: '/app/config.json', bytes: 3 }])
  const stored = JSON.stringify([
    await db.selectFrom('app_file').selectAll().execute(),
    await db.selectFrom('audit').selectAll().execute(),
    await db.selectFrom('event').selectAll().execute(),
  ])
  expect(stored).toContain('/app/config.json')
  expect(stored).not.toMatch(/hunter-22|aHVudGVy/)
  await files.remove(caller, app, '/app/config.json')
  await expect(files.read(app, '/app/config.json')).rejects.toMatchObject({ code: 'file_not_found' })
  await expect(files.remove(caller, app, '/app/config.json')).rejects.toMatchObject({ code: 'file_not_found' })
})

it('what is not a text comes and goes as base64, byte for byte', async () => {
  await using test = await openFiles()
  const bytes = Buffer.from([0xff, 0, 1, 2, 0xfe])
  await test.save('/app/key.der', bytes.toString('base64'), { encoding: 'base64' })
  expect(await test.files.read(test.app, '/app/key.der')).toMatchObject({ encoding: 'base64', content: bytes.toString('base64') })
  const [current] = await createCurrentFiles(test)(test.app.id)
  expect(Buffer.from(current?.base64 ?? '', 'base64')).toEqual(bytes)
  const wrong = test.save('/app/key.der', 'not base64!', { encoding: 'base64' })
  await expect(wrong).rejects.toMatchObject({ message: expect.stringContaining('content: must be base64') })
})

it('an app has at most 64 files, 512 KiB each and 1 MiB together, and none in a volume', async () => {
  await using test = await openFiles()
  const { db, app, save } = test
  const half = 'x'.repeat(512 * 1024)
  await expect(save('/a', `${half}x`)).rejects.toMatchObject({ message: expect.stringContaining('at most 512 KiB') })
  await save('/a', half)
  await save('/b', half)
  await expect(save('/c', 'x')).rejects.toMatchObject({ message: expect.stringContaining('at most 1 MiB together') })
  await save('/b', '')
  for (let n = 2; n < 64; n += 1) await save(`/n/${n}`, '')
  await expect(save('/n/64', '')).rejects.toMatchObject({ message: expect.stringContaining('at most 64 files') })
  await db.transaction(async (tx) => await updateApp(tx, app.id, { volumes: '[{"name":"data","path":"/data","shareable":false}]' }))
  await expect(save('/data/x', '')).rejects.toMatchObject({ message: expect.stringContaining('the volume data at /data') })
  await expect(save('/etc/hosts', '')).rejects.toMatchObject({ code: 'invalid_request' })
})

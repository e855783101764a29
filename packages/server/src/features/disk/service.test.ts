import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { Caller } from '../../domain/caller.ts'
import { EngineError } from '../../engine/api/errors.ts'
import { createDisk } from '../../engine/disk.ts'
import { createDiskRoom } from './service.ts'

it('a clean-up that fails after it removed something is in the audit log, and the answer is no bug of ours', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const { created_by } = await addApp(db, 'a@example.test')
  const origin = { address: '', requestId: '', isTls: false, client: '' }
  const caller: Caller = { id: created_by, email: 'a@example.test', role: 'owner', createdAt: '', sessionId: '', origin }
  let removed = 0
  const measure = async () => {
    if (removed > 0) throw new EngineError(500, 'a disk usage operation is already running')
    return { Images: [], Volumes: [] }
  }
  const room = createDiskRoom({
    db,
    engine: { disk: createDisk({ measure }), volumes: { list: async () => [] } },
    buildCache: { measure: async () => ({ bytes: 0, freeable: 0 }), shrinkTo: async () => 0 },
    keepLiveOnly: async () => void (removed += 1),
    instance: 'test',
    dataDir: '/nonexistent',
    now: () => new Date(),
  })
  await expect(room.cleanUp(caller, ['images', 'cache'])).rejects.toMatchObject({ code: 'engine_unreachable' })
  expect(removed).toBe(1)
  const lines = await db.selectFrom('audit').select(['action', 'after']).execute()
  expect(lines).toEqual([
    { action: 'disk.clean_up', after: JSON.stringify({ kinds: ['images', 'cache'], freedBytes: 0, ended: 'failed' }) },
  ])
})

import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { Caller } from '../../domain/caller.ts'
import { findProject } from '../../domain/rows.ts'
import { createProjects } from './service.ts'

it('a change of some fields keeps what was changed in the others meanwhile', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const { project_id, created_by } = await addApp(db, 'a@example.test')
  const origin = { address: '', requestId: '', isTls: false, client: '' }
  const caller: Caller = { id: created_by, email: 'a@example.test', role: 'owner', createdAt: '', sessionId: '', origin }
  const projects = createProjects({
    db,
    listApplications: async () => [],
    removeApplications: async () => [],
    onRemoved: () => undefined,
    step: async (_, work) => await work(),
    now: () => new Date(),
  })
  const stale = await findProject(db, project_id)
  if (!stale) throw new Error('the project is there')
  await projects.update(caller, stale, { description: 'new', tags: ['a', 'b'] })
  expect(await projects.update(caller, stale, { name: 'Renamed' })).toMatchObject({ name: 'Renamed', description: 'new', tags: 'a,b' })
})

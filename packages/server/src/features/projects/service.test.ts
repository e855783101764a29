import { expect, it } from 'vitest'
import { addApp, addHistories } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { Caller } from '../../domain/caller.ts'
import { findProject } from '../../domain/rows.ts'
import type { Step } from '../../lib/step.ts'
import { createAppDeletion } from '../apps/deletion.ts'
import { createProjects } from './service.ts'

async function lab(test: Awaited<ReturnType<typeof openTestDatabase>>) {
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const origin = { address: '', requestId: '', isTls: false, client: '' }
  const caller: Caller = { id: app.created_by, email: 'a@example.test', role: 'owner', createdAt: '', sessionId: '', origin }
  const deps = { db, step: (async (_, work) => await work()) satisfies Step, now: () => new Date(), onRemoved: () => undefined }
  const removeApplications = createAppDeletion(deps).removeOfProject
  const projects = createProjects({ ...deps, listApplications: async () => [], removeApplications })
  const project = await findProject(db, app.project_id)
  if (!project) throw new Error('the project is there')
  return { db, app, caller, projects, project }
}

it('a change of some fields keeps what was changed in the others meanwhile', async () => {
  await using test = await openTestDatabase()
  const { caller, projects, project: stale } = await lab(test)
  await projects.update(caller, stale, { description: 'new', tags: ['a', 'b'] })
  expect(await projects.update(caller, stale, { name: 'Renamed' })).toMatchObject({ name: 'Renamed', description: 'new', tags: 'a,b' })
})

it('other requests are answered while a project with long histories is deleted', async () => {
  await using test = await openTestDatabase()
  const { db, app, caller, projects, project } = await lab(test)
  await db.transaction(async (tx) => await addHistories(tx, app, { apps: 100, deployments: 200 }))
  let [turns, isDone] = [0, false]
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  const removal = projects.remove(caller, project, { deleteVolumes: false })
  setImmediate(count)
  await removal
  isDone = true
  expect(turns).toBeGreaterThan(2)
  expect(await db.selectFrom('deployment').select('id').execute()).toEqual([])
  expect(await db.selectFrom('job').select('id').execute()).toHaveLength(101)
})

it('a project is deleted once', async () => {
  await using test = await openTestDatabase()
  const { db, caller, projects, project } = await lab(test)
  const remove = async () => await projects.remove(caller, project, { deleteVolumes: false })
  const outcomes = await Promise.allSettled([remove(), remove()])
  expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'project_not_found' } }])
  expect(await db.selectFrom('audit').select('action').execute()).toEqual([{ action: 'app.delete' }, { action: 'project.delete' }])
})

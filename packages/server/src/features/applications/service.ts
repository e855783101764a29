import type { Application, ApplicationChange, Connection, NewApplication, SourceCheck } from '@berth/contract'
import { changedFields, recordAudit } from '../../events/audit-log.ts'
import { appendEvent } from '../../events/event-log.ts'
import { type Caller, isStaff } from '../../http/caller.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { slugOf } from '../../lib/slug.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import { type AppRow, findUser, type ProjectRow } from '../../store/rows.ts'
import { isUniqueViolation } from '../../store/storage-failure.ts'
import type { DatabaseTemplate } from '../templates/templates.ts'
import { changeOf } from './change.ts'
import { newAppRow, templateOf } from './new-app.ts'
import {
  createAppLists,
  deleteApp,
  insertApp,
  isSlugTaken,
  listAppRows,
  listVisibleApplications,
  presentApplication,
  updateApp,
} from './store.ts'

export type Source = { cloneUrl: string; branch: string }
type SourceRight = { mayUsePrivate: boolean }

type Deps = {
  db: Db
  now: () => Date
  findTemplate: (name: string) => DatabaseTemplate | undefined
  newSecret: () => string
  /** Throws `invalid_source` with the field that is wrong. */
  checkSource: (source: Partial<Source>, right: SourceRight) => void
  probeSource: (source: Source, right: SourceRight) => Promise<SourceCheck>
  insertEnv: (tx: Tx, appId: number, variables: Readonly<Record<string, string>>) => Promise<void>
  readEnv: (db: Reader, appId: number) => Promise<Record<string, string>>
  addGeneratedDomain: (tx: Tx, app: AppRow) => Promise<void>
  /** Leaves the job that removes what the app owns outside the database. */
  enqueueRemoval: (tx: Tx, removal: { appId: number; projectId: number; deleteVolumes: boolean }) => Promise<void>
  /** Called after the commit: ends a running deployment and takes the routes away. */
  onRemoved: (appIds: readonly number[]) => void
  onChanged: () => void
}

async function unlessTaken<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (cause) {
    if (isUniqueViolation(cause, 'app.name'))
      throw new AppError('app_name_taken', { details: [{ field: 'name', message: 'is taken in this project' }], cause })
    throw cause
  }
}

/** Applications: what they are and who owns them. What runs is the business of deployments and containers. */
export function createApplications(deps: Deps) {
  const { db, now } = deps
  const list = createAppLists(db)

  async function newSlug(tx: Tx, projectId: number, name: string): Promise<string> {
    const slug = slugOf(name, 'app')
    let candidate = slug
    for (let n = 2; await isSlugTaken(tx, projectId, candidate); n += 1) candidate = `${slug}-${n}`
    return candidate
  }

  async function create(caller: Caller, project: ProjectRow, input: NewApplication): Promise<Application> {
    const template = templateOf(input, deps.findTemplate)
    deps.checkSource(
      { ...(input.gitCloneUrl && { cloneUrl: input.gitCloneUrl }), ...(input.gitBranch && { branch: input.gitBranch }) },
      { mayUsePrivate: isStaff(caller) },
    )
    if (input.gitProviderId != null) throw new AppError('git_not_connected')
    const at = now()
    const row = await unlessTaken(
      db.transaction(async (tx) => {
        const slug = await newSlug(tx, project.id, input.name)
        const app = await insertApp(
          tx,
          newAppRow({ ...input, projectId: project.id }, { slug, createdBy: caller.id, template, at: at.toISOString() }),
        )
        await deps.insertEnv(tx, app.id, { ...template?.env(deps.newSecret), ...input.envVars })
        if (app.app_type === 'web') await deps.addGeneratedDomain(tx, app)
        await recordAudit(tx, at, caller, {
          action: 'app.create',
          subject: 'app',
          subjectId: app.id,
          after: { name: app.name, type: app.app_type, projectId: project.id },
        })
        await appendEvent(tx, at, { type: 'app.created', data: { projectId: project.id, appId: app.id } })
        return app
      }),
    )
    deps.onChanged()
    return await presentApplication(db, row)
  }

  async function update(caller: Caller, app: AppRow, input: ApplicationChange): Promise<Application> {
    const change = changeOf(app, input)
    deps.checkSource(
      { ...(input.gitCloneUrl && { cloneUrl: input.gitCloneUrl }), ...(input.gitBranch && { branch: input.gitBranch }) },
      { mayUsePrivate: isStaff(caller) },
    )
    if (input.gitProviderId != null) throw new AppError('git_not_connected')
    const at = now()
    const row = await unlessTaken(
      db.transaction(async (tx) => {
        const changed = await updateApp(tx, app.id, { ...change, updated_at: at.toISOString() })
        if (!changed) throw new AppError('app_not_found')
        await recordAudit(tx, at, caller, {
          action: 'app.update',
          subject: 'app',
          subjectId: app.id,
          ...changedFields<Record<string, unknown>>(app, change),
        })
        await appendEvent(tx, at, { type: 'app.updated', data: { projectId: app.project_id, appId: app.id } })
        return changed
      }),
    )
    deps.onChanged()
    return await presentApplication(db, row)
  }

  async function removeInTx(tx: Tx, caller: Caller, app: AppRow, deleteVolumes: boolean): Promise<void> {
    const at = now()
    if (!(await deleteApp(tx, app.id))) throw new AppError('app_not_found')
    await deps.enqueueRemoval(tx, { appId: app.id, projectId: app.project_id, deleteVolumes })
    await recordAudit(tx, at, caller, {
      action: 'app.delete',
      subject: 'app',
      subjectId: app.id,
      before: { name: app.name },
      after: { deleteVolumes },
    })
    await appendEvent(tx, at, { type: 'app.deleted', data: { projectId: app.project_id, appId: app.id } })
  }

  async function remove(caller: Caller, app: AppRow, options: { deleteVolumes: boolean }): Promise<{ id: number }> {
    await db.transaction(async (tx) => await removeInTx(tx, caller, app, options.deleteVolumes))
    deps.onRemoved([app.id])
    return { id: app.id }
  }

  /** For the deletion of a whole project, in its transaction. */
  async function removeOfProject(tx: Tx, caller: Caller, project: { id: number; deleteVolumes: boolean }): Promise<number[]> {
    const apps = await listAppRows(tx, project.id)
    for (const app of apps) await removeInTx(tx, caller, app, project.deleteVolumes)
    return apps.map((app) => app.id)
  }

  async function transfer(caller: Caller, app: AppRow, userId: number): Promise<Application> {
    const at = now()
    const row = await db.transaction(async (tx) => {
      const heir = await findUser(tx, userId)
      if (!heir) throw new AppError('user_not_found')
      const changed = await updateApp(tx, app.id, { created_by: heir.id, updated_at: at.toISOString() })
      if (!changed) throw new AppError('app_not_found')
      await recordAudit(tx, at, caller, {
        action: 'app.transfer',
        subject: 'app',
        subjectId: app.id,
        before: { owner: app.created_by },
        after: { owner: heir.id },
      })
      await appendEvent(tx, at, { type: 'app.updated', data: { projectId: app.project_id, appId: app.id } })
      return changed
    })
    return await presentApplication(db, row)
  }

  async function connection(app: AppRow): Promise<Connection> {
    const template = app.app_type === 'database' ? deps.findTemplate(app.template_name) : undefined
    if (!template) throw fieldError('invalid_request', 'appId', 'must be a database app: the others have domains')
    return { url: template.url(app.slug, await deps.readEnv(db, app.id)), host: app.slug, port: template.port }
  }

  return {
    list,
    listAll: async (caller: Caller) => await listVisibleApplications(db, isStaff(caller) ? undefined : caller.id),
    get: async (app: AppRow) => await presentApplication(db, app),
    create,
    update,
    remove,
    removeOfProject,
    transfer,
    connection,
    checkSource: async (caller: Caller, source: Source) => await deps.probeSource(source, { mayUsePrivate: isStaff(caller) }),
  }
}

export type Applications = ReturnType<typeof createApplications>

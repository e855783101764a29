import { type Application, type ApplicationChange, type NewApplication, PROJECT_SOURCE } from '@berth/contract'
import { DEFAULT_APP_TYPE, kindOf } from '../../domain/app-kinds.ts'
import type { EdgePorts } from '../../domain/app-url.ts'
import { changedFields, recordAudit } from '../../domain/audit.ts'
import { type Again, type AppCall, type Caller, isStaff } from '../../domain/caller.ts'
import { countRemovals, enqueueRestore } from '../../domain/job-names.ts'
import { processesOf } from '../../domain/processes.ts'
import { countReplicas, refuseMoreReplicas } from '../../domain/replica-quota.ts'
import { type AppRow, findUser, insertMember, isMember, type ProjectRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError } from '../../lib/app-error.ts'
import { QUOTAS, refuseBeyond } from '../../lib/quota.ts'
import { freeSlug, slugOf } from '../../lib/slug.ts'
import type { Db, Tx } from '../../store/database.ts'
import { createUnlessTaken } from '../../store/unless-taken.ts'
import type { AppSource } from '../git-providers/app-source.ts'
import type { DatabaseTemplate } from '../templates/templates.ts'
import { changeOf } from './change.ts'
import { imageChange } from './image-source.ts'
import { newAppRow, templateOf } from './new-app.ts'
import { refuseLeavingData } from './placed-data.ts'
import { refuseOtherSource } from './same-source.ts'
import type { Source } from './source-check.ts'
import { sourceSetter } from './source-setter.ts'
import { countApps, insertApp, isSlugTaken, liveProcesses, presentApplication, updateApp } from './store.ts'
import { refuseBadStorage, refuseLiveWriters, volumeForOneNow } from './volumes.ts'

type Deps = {
  db: Db
  now: () => Date
  findTemplate: (name: string) => DatabaseTemplate | undefined
  newSecret: () => string
  /** Throws `invalid_source` with the field that is wrong. */
  checkSource: (source: Partial<Source>, right: { mayUsePrivate: boolean }) => void
  /** Resolves a repository of a connected git account to a source; calls its host. */
  connectSource: AppSource['connect']
  refuseLostAccount: AppSource['refuseLostAccount']
  insertEnv: (tx: Tx, appId: number, variables: Readonly<Record<string, string>>) => Promise<void>
  /** The files of the app, whose paths must not be in a volume. */
  filesOf: (tx: Tx, appId: number) => Promise<readonly { readonly path: string }[]>
  changeBuildSecrets: (tx: Tx, appId: number, given: Readonly<Record<string, string | null>>) => Promise<void>
  addGeneratedDomain: (tx: Tx, app: AppRow) => Promise<void>
  edgePorts: EdgePorts
  onChanged: () => void
}

type ProjectCall = { caller: Caller; project: ProjectRow; again: Again<{ caller: Caller; project: ProjectRow }> }

/** For the audit log: the names alone. */
function secretsChange({ buildSecrets }: Pick<ApplicationChange, 'buildSecrets'>): { build_secrets?: string } {
  const words = Object.entries(buildSecrets ?? {}).map(([name, value]) => `${name} ${value === null ? 'removed' : 'set'}`)
  return words.length === 0 ? {} : { build_secrets: words.join(', ') }
}

const unlessTaken = createUnlessTaken('app.name', 'app_name_taken', { field: 'name', message: 'is taken in this project' })

/** Deletions are never refused, but somebody who creates and deletes apps in turn could fill the queue while they wait for the engine. */
async function refuseTooManyApps(tx: Tx, { caller, project }: { caller: Caller; project: ProjectRow }, ofUser: number): Promise<void> {
  const removals = await countRemovals(tx, [caller.id, project.owner_id])
  const what = removals === 0 ? 'apps' : `apps, with the ${removals} deleted ones that are still being removed`
  refuseBeyond(QUOTAS.appsOfUser, ofUser + removals, { field: 'projectId', who: "a person's projects", what })
}

type Adding = { caller: Caller; project: ProjectRow; input: NewApplication }

/** The slug of a new app, if the project has room for one more. */
async function slugInProject(tx: Tx, { caller, project, input }: Adding): Promise<string> {
  const { name, appType: type = DEFAULT_APP_TYPE } = input
  const projectId = project.id
  const { ofProject, ofUser, composeOfUser } = await countApps(tx, projectId)
  refuseBeyond(QUOTAS.appsOfProject, ofProject, { field: 'projectId', who: 'a project', what: 'apps' })
  await refuseTooManyApps(tx, { caller, project }, ofUser)
  if (kindOf({ type }).hasServices)
    refuseBeyond(QUOTAS.composeAppsOfUser, composeOfUser, {
      field: 'appType',
      who: "a person's projects",
      what: 'compose apps',
    })
  const isTaken = async (slug: string) => slug === PROJECT_SOURCE || (await isSlugTaken(tx, projectId, slug)) // `project.X` means the project's own
  return await freeSlug(slugOf(name, 'app'), isTaken)
}

function createRefuseBadSource(deps: Pick<Deps, 'checkSource'>) {
  return (caller: Caller, input: Pick<ApplicationChange, 'gitCloneUrl' | 'gitBranch'>): void => {
    const { gitCloneUrl, gitBranch } = input
    deps.checkSource(
      { ...(gitCloneUrl && { cloneUrl: gitCloneUrl }), ...(gitBranch && { branch: gitBranch }) },
      { mayUsePrivate: isStaff(caller) },
    )
  }
}

/**
 * The only settings that change what runs without a deployment: how many containers of each process there are, and which volumes are for
 * one of them alone.
 */
async function changeWhatRuns(
  tx: Tx,
  { before, after }: { before: AppRow; after: AppRow },
  asked: { by: number; at: Date },
): Promise<void> {
  const numbers = (app: AppRow) => JSON.stringify([app.replicas, ...processesOf(app).map(({ name, replicas }) => [name, replicas])])
  const single = volumeForOneNow({ before, after })
  if (single !== undefined) refuseLiveWriters(single, after, await liveProcesses(tx, after.id))
  if (single !== undefined || numbers(after) !== numbers(before)) await enqueueRestore(tx, after.id, asked)
}

type Numbers = Pick<ApplicationChange, 'replicas' | 'processes'>

/** Makes a change that may ask for more containers, and refuses it beyond the quota. The first container of an app is always allowed. */
async function withinReplicas<Row extends AppRow | undefined>(
  tx: Tx,
  { projectId, input, free }: { projectId: number; input: Numbers; free: number },
  change: () => Promise<Row>,
): Promise<Row> {
  if (input.replicas === undefined && input.processes === undefined) return await change()
  const before = (await countReplicas(tx, projectId)) + free
  const row = await change()
  await refuseMoreReplicas(tx, projectId, { before, field: input.replicas === undefined ? 'processes' : 'replicas' })
  return row
}

async function handOver(tx: Tx, caller: Caller, app: AppRow, { userId, at }: { userId: number; at: Date }): Promise<AppRow> {
  const heir = await findUser(tx, userId)
  // for callers who cannot list users, a user without access to the project is reported as not existing
  const isKnown = heir && (isStaff(caller) || isStaff(heir) || (await isMember(tx, app.project_id, heir.id)))
  if (!isKnown) throw new AppError('user_not_found')
  if (!isStaff(heir)) await insertMember(tx, { projectId: app.project_id, userId: heir.id, at }) // the owner must be able to see the app
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
}

async function recordNew(tx: Tx, { caller, at }: { caller: Caller; at: Date }, app: AppRow): Promise<void> {
  const after = { name: app.name, type: app.app_type, projectId: app.project_id }
  await recordAudit(tx, at, caller, { action: 'app.create', subject: 'app', subjectId: app.id, after })
  await appendEvent(tx, at, { type: 'app.created', data: { projectId: app.project_id, appId: app.id } })
}

async function recordChange(tx: Tx, { caller, at }: { caller: Caller; at: Date }, app: AppRow, change: object): Promise<void> {
  const fields = changedFields<Record<string, unknown>>({ ...app, build_secrets: '' }, { ...change })
  await recordAudit(tx, at, caller, { action: 'app.update', subject: 'app', subjectId: app.id, ...fields })
  await appendEvent(tx, at, { type: 'app.updated', data: { projectId: app.project_id, appId: app.id } })
}

/** Apps and their owners. What runs is handled by deployments and containers. */
export function createApplications(deps: Deps) {
  const { db, now } = deps
  const refuseBadSource = createRefuseBadSource(deps)

  async function create(call: ProjectCall, input: NewApplication): Promise<Application> {
    const template = templateOf(input, deps.findTemplate)
    refuseBadSource(call.caller, input)
    const image = imageChange(input, { app_type: input.appType ?? DEFAULT_APP_TYPE, builder: input.builder ?? 'auto', image: '' })
    const source = await deps.connectSource(call.caller, call.project.id, input)
    const at = now()
    const row = await unlessTaken(
      db.transaction(async (tx) => {
        const { caller, project } = await call.again(tx)
        refuseBadSource(caller, input)
        await deps.refuseLostAccount(tx, caller, { projectId: project.id, source })
        const slug = await slugInProject(tx, { caller, project, input })
        const wanted = newAppRow({ ...input, projectId: project.id }, { slug, createdBy: caller.id, template, at: at.toISOString() })
        const add = async () => await insertApp(tx, { ...wanted, ...source, ...image })
        const app = await withinReplicas(tx, { projectId: project.id, input, free: 1 }, add)
        await deps.insertEnv(tx, app.id, { ...template?.env(deps.newSecret), ...input.envVars })
        await deps.changeBuildSecrets(tx, app.id, input.buildSecrets ?? {})
        const isVisited = kindOf(app).isRouted && input.port !== null // a compose app may be given no port at all
        if (isVisited) await deps.addGeneratedDomain(tx, app)
        await recordNew(tx, { caller, at }, app)
        return app
      }),
    )
    deps.onChanged()
    return await presentApplication(db, deps.edgePorts, row)
  }

  async function update(call: AppCall, input: ApplicationChange): Promise<Application> {
    refuseBadSource(call.caller, input)
    const source = await deps.connectSource(call.caller, call.app.project_id, input, call.app)
    const at = now()
    const row = await unlessTaken(
      db.transaction(async (tx) => {
        const { caller, app } = await call.again(tx)
        refuseBadSource(caller, input)
        refuseOtherSource(input, { before: call.app, now: app })
        await deps.refuseLostAccount(tx, caller, { projectId: app.project_id, source, current: app.git_provider_id })
        const change = { ...changeOf(app, input), ...sourceSetter(app, input, caller), ...source, ...imageChange(input, app) }
        const write = async () => await updateApp(tx, app.id, { ...change, updated_at: at.toISOString() })
        const changed = await withinReplicas(tx, { projectId: app.project_id, input, free: 0 }, write)
        if (!changed) throw new AppError('app_not_found')
        refuseBadStorage(changed, await deps.filesOf(tx, app.id))
        await refuseLeavingData(tx, { before: app, after: changed })
        await changeWhatRuns(tx, { before: app, after: changed }, { by: caller.id, at })
        await deps.changeBuildSecrets(tx, app.id, input.buildSecrets ?? {})
        await recordChange(tx, { caller, at }, app, { ...change, ...secretsChange(input) })
        return changed
      }),
    )
    deps.onChanged()
    return await presentApplication(db, deps.edgePorts, row)
  }

  async function transfer(caller: Caller, app: AppRow, userId: number): Promise<Application> {
    const row = await db.transaction(async (tx) => await handOver(tx, caller, app, { userId, at: now() }))
    return await presentApplication(db, deps.edgePorts, row)
  }

  return { create, update, transfer }
}

export type Applications = ReturnType<typeof createApplications>

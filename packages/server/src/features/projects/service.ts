import type { ListedApplication, Project, ProjectDetails } from '@berth/contract'
import { changedFields, recordAudit } from '../../domain/audit.ts'
import { type Again, type Caller, isStaff } from '../../domain/caller.ts'
import { insertMember, type ProjectRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError } from '../../lib/app-error.ts'
import { QUOTAS, refuseBeyond } from '../../lib/quota.ts'
import { freeSlug, slugOf } from '../../lib/slug.ts'
import type { Step } from '../../lib/step.ts'
import type { Db, Tx } from '../../store/database.ts'
import { leaveProject, setMembers } from './members.ts'
import { countProjectsOf, deleteProject, insertProject, isSlugTaken, listMembers, listProjects, updateProject } from './store.ts'

type Deps = {
  db: Db
  listApplications: (projectId: number) => Promise<ListedApplication[]>
  /** Deletes the apps and adds jobs that remove what they own. */
  removeApplications: (tx: Tx, caller: Caller, project: { id: number; deleteVolumes: boolean }) => Promise<number[]>
  /** Called after the commit with the deleted apps. */
  onRemoved: (appIds: readonly number[]) => void
  step: Step
  now: () => Date
}
type Tags = string | string[]
type NewProject = { name: string; description?: string; tags?: Tags }

function tagText(tags: Tags | undefined): string | undefined {
  if (tags === undefined) return undefined
  const list = Array.isArray(tags) ? tags : tags.split(',')
  return [...new Set(list.map((tag) => tag.trim()).filter((tag) => tag !== ''))].join(',')
}

function presentProject(row: ProjectRow): Project {
  const { id, name, description, tags } = row
  return { id, name, description, tags, ownerId: row.owner_id, createdAt: row.created_at, updatedAt: row.updated_at }
}

async function refuseTooMany(tx: Tx, caller: Caller): Promise<void> {
  const words = { field: 'name', who: 'a person', what: 'projects' }
  refuseBeyond(isStaff(caller) ? QUOTAS.projectsOfStaff : QUOTAS.projectsOfUser, await countProjectsOf(tx, caller.id), words)
}

/** With its creator as the owner and the first member. */
async function addProject(tx: Tx, caller: Caller, input: NewProject, at: Date): Promise<ProjectRow> {
  const time = at.toISOString()
  await refuseTooMany(tx, caller)
  const project = await insertProject(tx, {
    name: input.name,
    slug: await freeSlug(slugOf(input.name, 'project'), async (candidate) => await isSlugTaken(tx, candidate)),
    description: input.description ?? '',
    tags: tagText(input.tags) ?? '',
    owner_id: caller.id,
    created_at: time,
    updated_at: time,
  })
  await insertMember(tx, { projectId: project.id, userId: caller.id, at })
  await recordAudit(tx, at, caller, {
    action: 'project.create',
    subject: 'project',
    subjectId: project.id,
    after: { name: project.name },
  })
  await appendEvent(tx, at, { type: 'project.created', data: { projectId: project.id } })
  return project
}

/** Projects and who belongs to them. */
export function createProjects(deps: Deps) {
  const { db, now } = deps

  async function list(caller: Caller): Promise<Project[]> {
    return (await listProjects(db, isStaff(caller) ? undefined : caller.id)).map(presentProject)
  }

  async function get(project: ProjectRow): Promise<ProjectDetails> {
    const [applications, members] = await Promise.all([deps.listApplications(project.id), listMembers(db, project.id)])
    return { ...presentProject(project), applications, members }
  }

  async function create(caller: Caller, input: NewProject): Promise<Project> {
    return presentProject(await db.transaction(async (tx) => await addProject(tx, caller, input, now())))
  }

  async function update(
    caller: Caller,
    project: ProjectRow,
    input: { name?: string; description?: string; tags?: Tags },
  ): Promise<Project> {
    const at = now()
    const tags = tagText(input.tags)
    // Only what was given: the rest of the row may have been changed since it was read.
    const wanted = {
      ...(input.name !== undefined && { name: input.name }),
      ...(input.description !== undefined && { description: input.description }),
      ...(tags !== undefined && { tags }),
    }
    const row = await db.transaction(async (tx) => {
      const changed = await updateProject(tx, project.id, { ...wanted, updated_at: at.toISOString() })
      if (!changed) throw new AppError('project_not_found')
      const words = changedFields({ name: project.name, description: project.description, tags: project.tags }, wanted)
      await recordAudit(tx, at, caller, { action: 'project.update', subject: 'project', subjectId: project.id, ...words })
      await appendEvent(tx, at, { type: 'project.updated', data: { projectId: project.id } })
      return changed
    })
    return presentProject(row)
  }

  async function members(caller: Caller, project: ProjectRow, input: { userIds?: number[]; emails?: string[] }): Promise<ProjectDetails> {
    await setMembers({ db, now }, caller, project, input)
    return await get(project)
  }

  async function leave(caller: Caller, project: ProjectRow, again: Again): Promise<{ id: number }> {
    await leaveProject({ db, now }, caller, project, again)
    return { id: project.id }
  }

  async function removeInTx(tx: Tx, caller: Caller, project: ProjectRow, options: { deleteVolumes: boolean }): Promise<number[]> {
    const at = now()
    const memberIds = (await listMembers(tx, project.id)).map(({ id }) => id)
    const removed = await deps.removeApplications(tx, caller, { id: project.id, deleteVolumes: options.deleteVolumes })
    if (!(await deleteProject(tx, project.id))) throw new AppError('project_not_found')
    const words = { before: { name: project.name }, after: options }
    await recordAudit(tx, at, caller, { action: 'project.delete', subject: 'project', subjectId: project.id, ...words })
    await appendEvent(tx, at, { type: 'project.deleted', data: { projectId: project.id, memberIds } })
    return removed
  }

  async function remove(caller: Caller, project: ProjectRow, options: { deleteVolumes: boolean }): Promise<{ id: number }> {
    const write = async (tx: Tx) => await removeInTx(tx, caller, project, options)
    const appIds = await deps.step('db.delete_project', async () => await db.transaction(write, { mayUseReserve: true }))
    deps.onRemoved(appIds)
    return { id: project.id }
  }

  return { list, get, create, update, members, leave, remove }
}

export type Projects = ReturnType<typeof createProjects>

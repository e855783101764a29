import { recordAudit } from '../../domain/audit.ts'
import { type Again, type Caller, isStaff } from '../../domain/caller.ts'
import { insertMember, type ProjectRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { QUOTAS } from '../../lib/quota.ts'
import type { Db, Tx } from '../../store/database.ts'
import { deleteMember, findUserIds, listMembers } from './store.ts'

type Wanted = { userIds?: number[]; emails?: string[] }
type People = { ids: readonly number[]; emails: readonly string[] }

/**
 * Ids are small numbers that anybody can enumerate, which would reveal the users of this server. So callers who cannot list users must
 * add new people by email: the id of a non-member is not even looked up.
 */
async function findPeople(tx: Tx, caller: Caller, people: People, memberIds: readonly number[]): Promise<number[]> {
  if (!isStaff(caller) && !people.ids.every((id) => memberIds.includes(id))) throw new AppError('user_not_found')
  const found = await findUserIds(tx, people)
  const isKnown =
    people.ids.every((id) => found.some((person) => person.id === id)) &&
    people.emails.every((email) => found.some((person) => person.email === email))
  if (!isKnown) throw new AppError('user_not_found')
  return found.map((person) => person.id)
}

/** Sets the members to the given people and the owner. One unknown person fails the whole change. */
export async function setMembers(deps: { db: Db; now: () => Date }, caller: Caller, project: ProjectRow, wanted: Wanted): Promise<void> {
  if (wanted.userIds === undefined && wanted.emails === undefined)
    throw fieldError('invalid_request', 'userIds', 'or emails is required: a list of members by id, or of people by email')
  const at = deps.now()
  const ids = [...new Set(wanted.userIds ?? [])]
  const emails = [...new Set((wanted.emails ?? []).map((email) => email.trim().toLowerCase()))]
  await deps.db.transaction(async (tx) => {
    const before = (await listMembers(tx, project.id)).map((member) => member.id)
    const next = new Set([project.owner_id, ...(await findPeople(tx, caller, { ids, emails }, before))])
    if (next.size > Math.max(QUOTAS.membersOfProject, before.length))
      throw fieldError(
        'invalid_request',
        'emails',
        `a project can have at most ${QUOTAS.membersOfProject} members, but this would be ${next.size}`,
      )
    const removedUserIds = before.filter((id) => !next.has(id))
    for (const userId of removedUserIds) await deleteMember(tx, project.id, userId)
    for (const userId of next) await insertMember(tx, { projectId: project.id, userId, at })
    await recordAudit(tx, at, caller, {
      action: 'project.members',
      subject: 'project',
      subjectId: project.id,
      before: { members: before },
      after: { members: [...next] },
    })
    await appendEvent(tx, at, { type: 'project.members_changed', data: { projectId: project.id, removedUserIds } })
  })
}

/** Asks once more in the transaction: the project may have become the caller's own. */
export async function leaveProject(deps: { db: Db; now: () => Date }, caller: Caller, project: ProjectRow, again: Again): Promise<void> {
  const at = deps.now()
  await deps.db.transaction(async (tx) => {
    await again(tx)
    await deleteMember(tx, project.id, caller.id)
    const before = { name: project.name }
    await recordAudit(tx, at, caller, { action: 'project.leave', subject: 'project', subjectId: project.id, before })
    await appendEvent(tx, at, { type: 'project.members_changed', data: { projectId: project.id, removedUserIds: [caller.id] } })
  })
}

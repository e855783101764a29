import { recordAudit } from '../../events/audit-log.ts'
import { appendEvent } from '../../events/event-log.ts'
import type { Caller } from '../../http/caller.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { Db } from '../../store/database.ts'
import { insertMember, type ProjectRow } from '../../store/rows.ts'
import { deleteMember, findUserIds, listMembers } from './store.ts'

type Wanted = { userIds?: number[]; emails?: string[] }

/** Makes the members exactly the named people and the owner. One unknown person refuses the whole change. */
export async function setMembers(deps: { db: Db; now: () => Date }, caller: Caller, project: ProjectRow, wanted: Wanted): Promise<void> {
  if (wanted.userIds === undefined && wanted.emails === undefined)
    throw fieldError('invalid_request', 'userIds', 'is required: it must be a list of user ids')
  const at = deps.now()
  const ids = [...new Set(wanted.userIds ?? [])]
  const emails = [...new Set((wanted.emails ?? []).map((email) => email.trim().toLowerCase()))]
  await deps.db.transaction(async (tx) => {
    const people = await findUserIds(tx, { ids, emails })
    const isKnown =
      ids.every((id) => people.some((person) => person.id === id)) &&
      emails.every((email) => people.some((person) => person.email === email))
    if (!isKnown) throw new AppError('user_not_found')
    const next = new Set([project.owner_id, ...people.map((person) => person.id)])
    const before = (await listMembers(tx, project.id)).map((member) => member.id)
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

import type { Role, User } from '@berth/contract'
import { changedFields, recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import { findUser, insertUser, type UserRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import { deleteInvitationsBy, deleteInvitationsFor } from './invitations-store.ts'
import { callerNow, checkGrant, isAbove, refuseTooManyPeople, unlessTaken } from './roles.ts'
import { countOwners, deleteSessionsOf, deleteUser, handOver, listUsers, updateUser } from './store.ts'

type Change = { id: number; email?: string; role?: Role; password?: string }
type Deps = { db: Db; hashPassword: (password: string) => Promise<string>; now: () => Date }

function presentUser(row: UserRow): User {
  return { id: row.id, email: row.email, role: row.role, createdAt: row.created_at }
}

/** A user whom the caller may change. */
async function target(reader: Reader, caller: Caller, id: number): Promise<UserRow> {
  const user = await findUser(reader, id)
  if (!user) throw new AppError('user_not_found')
  if (isAbove(user.role, caller.role)) throw new AppError('role_too_high')
  return user
}

async function keepAnOwner(tx: Tx, user: UserRow): Promise<void> {
  if (user.role === 'owner' && (await countOwners(tx)) <= 1) throw new AppError('last_owner')
}

/** People and their roles. The checks that depend on rows run inside the transaction, so that two calls cannot slip past each other. */
export function createUsers(deps: Deps) {
  const { db, now } = deps

  async function list(): Promise<User[]> {
    return (await listUsers(db)).map(presentUser)
  }

  async function create(caller: Caller, input: { email: string; password: string; role?: Role }): Promise<User> {
    const role = input.role ?? 'user'
    checkGrant(caller, role)
    const passwordHash = await deps.hashPassword(input.password)
    const email = input.email.trim().toLowerCase()
    const at = now()
    const row = await unlessTaken(
      db.transaction(async (tx) => {
        checkGrant(await callerNow(tx, caller), role)
        await refuseTooManyPeople(tx)
        const user = await insertUser(tx, { email, passwordHash, role, at })
        await deleteInvitationsFor(tx, [email])
        await recordAudit(tx, at, caller, { action: 'user.create', subject: 'user', subjectId: user.id, after: { email, role } })
        await appendEvent(tx, at, { type: 'user.changed', data: { userId: user.id } })
        return user
      }),
    )
    return presentUser(row)
  }

  async function update(caller: Caller, input: Change): Promise<User> {
    const passwordHash = input.password === undefined ? undefined : await deps.hashPassword(input.password)
    return presentUser(await unlessTaken(db.transaction(async (tx) => await changeUser(tx, caller, { ...input, passwordHash, at: now() }))))
  }

  async function remove(caller: Caller, id: number): Promise<{ id: number }> {
    const at = now()
    await db.transaction(async (tx) => {
      const user = await target(tx, caller, id)
      await keepAnOwner(tx, user)
      const heir = user.id === caller.id ? undefined : caller.id
      if (heir === undefined) throw new AppError('not_allowed', { message: 'You cannot delete your own account. Ask another admin.' })
      const passed = await handOver(tx, user.id, heir, at)
      await deleteUser(tx, user.id)
      await deleteInvitationsFor(tx, [user.email])
      await recordAudit(tx, at, caller, {
        action: 'user.delete',
        subject: 'user',
        subjectId: id,
        before: { email: user.email, role: user.role },
        after: { passedOn: passed },
      })
      await appendEvent(tx, at, { type: 'user.changed', data: { userId: id } })
    })
    return { id }
  }

  return { list, create, update, remove }
}

export type Users = ReturnType<typeof createUsers>

/** A new role or password ends the user's sessions, and a new role also revokes the invitations they sent. */
async function changeUser(tx: Tx, before: Caller, wanted: Change & { passwordHash: string | undefined; at: Date }): Promise<UserRow> {
  const { passwordHash, at } = wanted
  const caller = await callerNow(tx, before)
  const user = await target(tx, caller, wanted.id)
  const email = wanted.email?.trim().toLowerCase() ?? user.email
  const role = wanted.role ?? user.role
  if (role !== user.role) {
    checkGrant(caller, role)
    await keepAnOwner(tx, user)
  }
  const changed = await updateUser(tx, user.id, { email, role, password_hash: passwordHash ?? user.password_hash })
  if (role !== user.role || passwordHash !== undefined) await deleteSessionsOf(tx, user.id)
  if (role !== user.role) await deleteInvitationsBy(tx, user.id)
  if (email !== user.email) await deleteInvitationsFor(tx, [user.email, email])
  const words = changedFields(
    { email: user.email, role: user.role, password: 'kept' },
    { email, role, password: passwordHash === undefined ? 'kept' : 'changed' },
  )
  await recordAudit(tx, at, caller, { action: 'user.update', subject: 'user', subjectId: user.id, ...words })
  await appendEvent(tx, at, { type: 'user.changed', data: { userId: user.id } })
  return changed
}

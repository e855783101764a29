import { createHash, randomBytes } from 'node:crypto'
import type { Invitation, Role, SentInvitation } from '@berth/contract'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller, Origin } from '../../domain/caller.ts'
import { insertUser, type UserRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Db } from '../../store/database.ts'
import { deleteInvitation, findInvitation, isUser, listInvitations, putInvitation } from './invitations-store.ts'
import { callerNow, checkGrant, refuseTooManyPeople, unlessTaken } from './roles.ts'

type Deps = { db: Db; hashPassword: (password: string) => Promise<string>; now: () => Date }

const VALID_MS = 7 * 24 * 3600 * 1000

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Invitation links: each works once, for a week, and only its hash is stored. */
export function createInvitations({ db, hashPassword, now }: Deps) {
  async function list(): Promise<Invitation[]> {
    const rows = await listInvitations(db, now())
    return rows.map(({ id, email, role, created_at, expires_at, invited_by_email }) => ({
      id,
      email,
      role,
      invitedBy: invited_by_email,
      createdAt: created_at,
      expiresAt: expires_at,
    }))
  }

  async function create(caller: Caller, input: { email: string; role?: Role }): Promise<SentInvitation> {
    const role = input.role ?? 'user'
    const email = input.email.trim().toLowerCase()
    const token = randomBytes(24).toString('base64url')
    const at = now()
    const times = { created_at: at.toISOString(), expires_at: new Date(at.getTime() + VALID_MS).toISOString() }
    const id = await db.transaction(async (tx) => {
      checkGrant(await callerNow(tx, caller), role)
      if (await isUser(tx, email)) throw new AppError('email_taken')
      await refuseTooManyPeople(tx)
      const made = await putInvitation(tx, { email, role, token_hash: digest(token), invited_by: caller.id, ...times }, at)
      await recordAudit(tx, at, caller, { action: 'user.invite', subject: 'user', after: { email, role } })
      return made
    })
    const link = `/join#token=${token}&email=${encodeURIComponent(email)}`
    return { id, email, role, invitedBy: caller.email, createdAt: times.created_at, expiresAt: times.expires_at, link }
  }

  async function remove(caller: Caller, id: number): Promise<{ id: number }> {
    const at = now()
    await db.transaction(async (tx) => {
      const gone = await deleteInvitation(tx, id)
      if (!gone) throw new AppError('invitation_not_found')
      await recordAudit(tx, at, caller, { action: 'user.uninvite', subject: 'user', before: { email: gone.email } })
    })
    return { id }
  }

  /**
   * The token is checked before the expensive password hash, and again in the transaction, so that only one of two requests creates the
   * account.
   */
  async function accept(input: { token: string; password: string }, origin: Origin): Promise<UserRow> {
    const tokenHash = digest(input.token)
    if (!(await findInvitation(db, tokenHash, now()))) throw new AppError('wrong_invitation')
    const passwordHash = await hashPassword(input.password)
    const at = now()
    return await unlessTaken(
      db.transaction(async (tx) => {
        const invitation = await findInvitation(tx, tokenHash, at)
        if (!invitation) throw new AppError('wrong_invitation')
        await deleteInvitation(tx, invitation.id)
        const { email, role } = invitation
        const user = await insertUser(tx, { email, passwordHash, role, at })
        const actor = { id: user.id, email, origin }
        await recordAudit(tx, at, actor, { action: 'user.join', subject: 'user', subjectId: user.id, after: { email, role } })
        await appendEvent(tx, at, { type: 'user.changed', data: { userId: user.id } })
        return user
      }),
    )
  }

  return { list, create, remove, accept }
}

export type Invitations = ReturnType<typeof createInvitations>

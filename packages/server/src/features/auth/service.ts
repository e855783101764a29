import type { Role, SignedIn } from '@berth/contract'
import { recordAudit } from '../../domain/audit.ts'
import { type Again, type Caller, isStaff, type Origin } from '../../domain/caller.ts'
import { findUser, type UserRow } from '../../domain/rows.ts'
import { SESSION_DAYS, type SessionTokens } from '../../http/authenticate.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { Db, Tx } from '../../store/database.ts'
import type { Invitations } from '../users/invitations.ts'
import type { FailedTries } from './failed-tries.ts'
import type { PasswordTries } from './password-tries.ts'
import type { Passwords } from './passwords.ts'
import type { Setup } from './setup.ts'
import {
  deleteExpiredSessions,
  deleteOtherSessions,
  deleteSession,
  deleteSessionsBeyond,
  findUserByEmail,
  insertSession,
  setPassword,
} from './store.ts'

type Deps = {
  db: Db
  tokens: Pick<SessionTokens, 'sign'>
  setup: Pick<Setup, 'complete'>
  invitations: Pick<Invitations, 'accept'>
  passwords: Passwords
  /** Checks a password, in turn. */
  tryPassword: PasswordTries
  failedTries: Pick<FailedTries, 'record'>
  newId: () => string
  now: () => Date
}
type Entry = { token: string; answer: SignedIn }

const MOST_SESSIONS = 50
/** On a full disk, people must still be able to log in to stop or delete something. */
function onFullDisk(person: { role: Role }): { mayUseReserve: true | 'part' } {
  return { mayUseReserve: isStaff(person) || 'part' }
}

type SessionOwner = Pick<UserRow, 'id' | 'email' | 'role'> & {
  /** Of the password that was checked; undefined if none was. */
  password_hash?: string
}

/** The password may have been changed, or the user removed, since it was checked: a session from then would outlive that. */
async function refuseOldPassword(tx: Tx, checked: SessionOwner): Promise<void> {
  if (!(await isCurrent(tx, checked))) throw new AppError('wrong_credentials')
}

async function isCurrent(tx: Tx, checked: SessionOwner): Promise<boolean> {
  const user = await findUser(tx, checked.id)
  return user !== undefined && (checked.password_hash === undefined || user.password_hash === checked.password_hash)
}

function createBeginSession({ db, tokens, newId, now }: Pick<Deps, 'db' | 'tokens' | 'newId' | 'now'>) {
  return async (user: SessionOwner, origin: Origin): Promise<Entry> => {
    const at = now()
    const sessionId = newId()
    const expiresAt = new Date(at.getTime() + SESSION_DAYS * 24 * 3600 * 1000)
    const token = await tokens.sign({ userId: user.id, sessionId, issuedAt: at })
    await db.transaction(async (tx) => {
      await refuseOldPassword(tx, user)
      await deleteExpiredSessions(tx, at)
      await insertSession(tx, { id: sessionId, userId: user.id, at, expiresAt, address: origin.address, client: origin.client })
      await deleteSessionsBeyond(tx, user.id, MOST_SESSIONS, sessionId)
      await recordAudit(
        tx,
        at,
        { id: user.id, email: user.email, origin },
        { action: 'session.login', subject: 'user', subjectId: user.id },
      )
    }, onFullDisk(user))
    return { token, answer: { user: { id: user.id, email: user.email, role: user.role } } }
  }
}

/** Logging in and out, and one's own password. */
export function createAuth(deps: Deps) {
  const { db, now } = deps
  const beginSession = createBeginSession(deps)
  const { hashPassword, isPassword } = deps.passwords

  async function login(input: { email: string; password: string }, origin: Origin, signal: AbortSignal): Promise<Entry> {
    const email = input.email.trim().toLowerCase()
    const judge = async ({ isFamiliar }: { isFamiliar: boolean }) => {
      const account = await findUserByEmail(db, email) // after waiting for its turn
      if (await isPassword(input.password, account?.password_hash, { isFirst: isFamiliar })) return account
      deps.failedTries.record({ action: 'session.login_failed', account, actor: { id: null, email: '', origin } })
      return undefined
    }
    const user = await deps.tryPassword({ email, address: origin.address }, judge, signal)
    if (!user) throw new AppError('wrong_credentials')
    return await beginSession(user, origin)
  }

  async function setUp(input: { token: string; email: string; password: string }, origin: Origin): Promise<Entry> {
    const id = await deps.setup.complete(input, { id: null, email: '', origin })
    return await beginSession({ id, email: input.email.trim().toLowerCase(), role: 'owner' }, origin)
  }

  async function join(input: { token: string; password: string }, origin: Origin): Promise<Entry> {
    return await beginSession(await deps.invitations.accept(input, origin), origin)
  }

  async function logout(caller: Caller): Promise<void> {
    const at = now()
    await db.transaction(async (tx) => {
      await deleteSession(tx, caller.sessionId)
      await recordAudit(tx, at, caller, { action: 'session.logout', subject: 'user', subjectId: caller.id })
    }, onFullDisk(caller))
  }

  async function changePassword(caller: Caller, input: { currentPassword: string; newPassword: string }, again: Again): Promise<void> {
    const login = { email: caller.email, address: caller.origin.address }
    const user = await deps.tryPassword(login, async () => {
      const account = await findUser(db, caller.id)
      if (await isPassword(input.currentPassword, account?.password_hash, { isFirst: true })) return account
      deps.failedTries.record({ action: 'user.password_failed', account: caller, actor: caller })
      return undefined
    })
    const wrong = fieldError('not_allowed', 'currentPassword', 'is wrong')
    if (!user) throw wrong
    const passwordHash = await hashPassword(input.newPassword, 'newPassword')
    const at = now()
    await db.transaction(async (tx) => {
      await again(tx)
      if (!(await isCurrent(tx, user))) throw wrong // it was reset while the new one was hashed
      await setPassword(tx, caller.id, passwordHash)
      await deleteOtherSessions(tx, caller.id, caller.sessionId)
      await recordAudit(tx, at, caller, { action: 'user.password', subject: 'user', subjectId: caller.id })
    })
  }

  return { login, setUp, join, logout, changePassword }
}

export type Auth = ReturnType<typeof createAuth>

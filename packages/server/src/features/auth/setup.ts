import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Actor } from '../../domain/audit.ts'
import { PLATFORM, recordAudit } from '../../domain/audit.ts'
import { insertUser } from '../../domain/rows.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Db, Tx } from '../../store/database.ts'
import { deleteFact, readFact, writeFact } from '../../store/facts.ts'
import type { Passwords } from './passwords.ts'

const SET_UP = 'set_up_at'
const TOKEN = 'setup_token_hash'

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Creates the first owner. The database records for good that there was one, whatever is deleted later. */
export function createSetup(deps: { db: Db; passwords: Pick<Passwords, 'hashPassword'>; now: () => Date }) {
  const { db, now } = deps
  const { hashPassword } = deps.passwords

  async function makeOwner(tx: Tx, owner: { email: string; passwordHash: string }, actor: Actor): Promise<number> {
    if ((await readFact(tx, SET_UP)) !== undefined) throw new AppError('already_set_up')
    const at = now()
    const { id } = await insertUser(tx, { ...owner, role: 'owner', at })
    await writeFact(tx, SET_UP, at.toISOString())
    await deleteFact(tx, TOKEN)
    await recordAudit(
      tx,
      at,
      { ...actor, id, email: owner.email },
      { action: 'user.setup', subject: 'user', subjectId: id, after: { email: owner.email, role: 'owner' } },
    )
    return id
  }

  /**
   * On startup: creates the configured owner, or a new setup link. Only the hash of the link is stored, so each start creates a new one.
   */
  async function prepare(owner: { email: string; password: string } | undefined): Promise<{ token: string } | undefined> {
    if ((await readFact(db, SET_UP)) !== undefined) return undefined
    if (owner) {
      const passwordHash = await hashPassword(owner.password)
      await db.transaction(async (tx) => await makeOwner(tx, { email: owner.email, passwordHash }, PLATFORM), {
        mayUseReserve: true,
      })
      return undefined
    }
    const token = randomBytes(24).toString('base64url')
    await db.transaction(async (tx) => await writeFact(tx, TOKEN, digest(token).toString('hex')), { mayUseReserve: true })
    return { token }
  }

  async function complete(input: { token: string; email: string; password: string }, actor: Actor): Promise<number> {
    if ((await readFact(db, SET_UP)) !== undefined) throw new AppError('already_set_up')
    await checkToken(input.token)
    const passwordHash = await hashPassword(input.password)
    return await db.transaction(async (tx) => await makeOwner(tx, { email: input.email.trim().toLowerCase(), passwordHash }, actor))
  }

  async function checkToken(token: string): Promise<void> {
    const wanted = Buffer.from((await readFact(db, TOKEN)) ?? '', 'hex')
    const given = digest(token)
    if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) throw new AppError('wrong_setup_token')
  }

  return { prepare, complete }
}

export type Setup = ReturnType<typeof createSetup>

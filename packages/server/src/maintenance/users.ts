import { ROLES } from '@berth/contract'
import { readConfig } from '../config.ts'
import { PLATFORM, recordAudit } from '../domain/audit.ts'
import type { UserRow } from '../domain/rows.ts'
import { createPasswords } from '../features/auth/passwords.ts'
import { deleteSessionsOf, listUsers, updateUser } from '../features/users/store.ts'
import type { Db, Tx } from '../store/database.ts'
import { type Command, UsageError } from './command.ts'
import { openData } from './open-data.ts'

const SHORTEST_PASSWORD = 8

async function withDatabase<Result>(run: (db: Db) => Promise<Result>): Promise<Result> {
  const database = await openData(readConfig())
  try {
    return await run(database.db)
  } finally {
    await database.close()
  }
}

async function userBy(tx: Tx, email: string): Promise<UserRow> {
  const found = (await listUsers(tx)).find((user) => user.email === email.trim().toLowerCase())
  if (!found) throw new UsageError(`No user has the email ${email}; \`berth-server users\` lists all.`)
  return found
}

const users: Command = {
  about: 'Lists all users and their roles.',
  takes: [],
  run: async (_, { print }) =>
    await withDatabase(async (db) => {
      const byRole = (await listUsers(db)).toSorted((a, b) => ROLES.indexOf(b.role) - ROLES.indexOf(a.role))
      for (const { email, role, created_at } of byRole) print(`${role.padEnd(6)} ${email}  since ${created_at.slice(0, 10)}`)
      if (byRole.length === 0) print('There is no user yet; starting Berth prints a link to create the first one.')
      return 0
    }),
}

const resetPassword: Command = {
  about: 'Sets a new password, asked for on the terminal (or read from a pipe), and logs the user out everywhere.',
  takes: ['email'],
  run: async ({ positionals: [email = ''] }, { askSecret, print }) =>
    await withDatabase(async (db) => {
      await db.transaction(async (tx) => await userBy(tx, email)) // before the password prompt
      const password = (await askSecret('New password: ')).trim()
      if (password.length < SHORTEST_PASSWORD) throw new UsageError(`The password must have at least ${SHORTEST_PASSWORD} characters.`)
      const { hashPassword } = createPasswords({ queue: { run: async (hash) => await hash() } })
      const password_hash = await hashPassword(password)
      await db.transaction(async (tx) => {
        const { id } = await userBy(tx, email)
        await updateUser(tx, id, { password_hash })
        await deleteSessionsOf(tx, id)
        const change = { action: 'user.update', subject: 'user', subjectId: id, after: { password: 'changed' } }
        await recordAudit(tx, new Date(), PLATFORM, change)
      })
      print(`The password of ${email} was changed.`)
      return 0
    }),
}

const makeOwner: Command = {
  about: 'Makes a user an owner of this Berth. Other owners stay owners.',
  takes: ['email'],
  run: async ({ positionals: [email = ''] }, { print }) =>
    await withDatabase(async (db) => {
      await db.transaction(async (tx) => {
        const { id, role } = await userBy(tx, email)
        await updateUser(tx, id, { role: 'owner' })
        await deleteSessionsOf(tx, id)
        const change = { action: 'user.update', subject: 'user', subjectId: id, before: { role }, after: { role: 'owner' } }
        await recordAudit(tx, new Date(), PLATFORM, change)
      })
      print(`${email} is an owner now.`)
      return 0
    }),
}

/** Ways to regain access for somebody with access to the machine but no login. */
export const userCommands = { users, 'reset-password': resetPassword, 'make-owner': makeOwner } satisfies Record<string, Command>

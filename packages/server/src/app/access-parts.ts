import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { createFailedTries } from '../features/auth/failed-tries.ts'
import { createHashQueue } from '../features/auth/hash-queue.ts'
import { createKnownAddresses } from '../features/auth/known-addresses.ts'
import { createLoginTurns } from '../features/auth/login-turns.ts'
import { createPasswordTries } from '../features/auth/password-tries.ts'
import { createPasswords } from '../features/auth/passwords.ts'
import { createAuth } from '../features/auth/service.ts'
import { createSessions } from '../features/auth/sessions.ts'
import { createSetup } from '../features/auth/setup.ts'
import { createSharedSlowDown } from '../features/auth/shared-slow-down.ts'
import { createSlowDown } from '../features/auth/slow-down.ts'
import { listLoginAddresses } from '../features/auth/store.ts'
import { createInvitations } from '../features/users/invitations.ts'
import { createUsers } from '../features/users/service.ts'
import { createAuthenticate } from '../http/authenticate.ts'
import type { Foundation } from './foundation.ts'

/** Who people are: passwords, sessions and users. */
export async function createAccessParts({ db, tokens, log, now, node, secrets, heartbeat }: Foundation) {
  const passwords = createPasswords({ queue: createHashQueue({ cores: availableParallelism() }) })
  const setup = createSetup({ db, passwords, now })
  const ownSlowDown = createSlowDown({ secret: randomUUID(), now })
  const shared = node && heartbeat && createSharedSlowDown({ db, secret: secrets.nameOf('login delays'), now: heartbeat.databaseNow })
  const slowDown = shared ?? ownSlowDown
  const loginTurns = createLoginTurns({ waitMs: shared ? () => 0 : ownSlowDown.waitMs, takeTurn: shared?.takeTurn })
  const familiar = createKnownAddresses(await listLoginAddresses(db))
  const tryPassword = createPasswordTries({ slowDown, turns: loginTurns, familiar })
  const failedTries = createFailedTries({ db, log, now })
  const invitations = createInvitations({ db, hashPassword: passwords.hashPassword, now })
  const sessions = createSessions({ db, now })
  const auth = createAuth({ db, tokens, setup, invitations, passwords, tryPassword, failedTries, newId: randomUUID, now })
  const users = createUsers({ db, hashPassword: passwords.hashPassword, now })
  const authentication = createAuthenticate({ db, tokens, now })
  /** Where people logged in at other nodes. */
  const learnAddresses = async () => {
    for (const login of await listLoginAddresses(db)) familiar.add(login)
  }
  return { setup, learnAddresses, loginTurns, failedTries, auth, sessions, invitations, users, authentication }
}

export type AccessParts = Awaited<ReturnType<typeof createAccessParts>>

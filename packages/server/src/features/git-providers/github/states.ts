import { createHash, randomBytes } from 'node:crypto'
import type { Caller } from '../../../domain/caller.ts'
import { fieldError } from '../../../lib/app-error.ts'
import type { Db, Tx } from '../../../store/database.ts'
import { countStates, insertState, type StateRow, takeState } from './store.ts'

const LIFETIME_MS = 10 * 60_000
const MOST_PER_SESSION = 20

type Begun = Pick<StateRow, 'step' | 'base_url' | 'hook_key' | 'project_id' | 'github_app_id'>

/**
 * The `state` parameter of the round trip to GitHub. It is random and works once, for ten minutes, in the same session, so nobody can be
 * tricked into connecting something with a prepared link.
 */
export function createStates({ db, now }: { db: Db; now: () => Date }) {
  async function begin(tx: Tx, caller: Caller, begun: Begun): Promise<string> {
    const at = now()
    const state = randomBytes(32).toString('base64url')
    const expires_at = new Date(at.getTime() + LIFETIME_MS).toISOString()
    await insertState(tx, { ...begun, hash: hashOf(state), session_id: caller.sessionId, expires_at }, at)
    if ((await countStates(tx, caller.sessionId)) > MOST_PER_SESSION)
      throw fieldError(
        'invalid_request',
        'name',
        `${MOST_PER_SESSION} GitHub Apps are already being created in this session; try again in ten minutes`,
      )
    return state
  }

  async function take(caller: Caller, step: StateRow['step'], state: string | undefined): Promise<StateRow | undefined> {
    if (state === undefined || state === '') return undefined
    const wanted = { hash: hashOf(state), session_id: caller.sessionId, step }
    return await db.transaction(async (tx) => await takeState(tx, wanted, now()))
  }

  return { begin, take }
}

function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('hex')
}

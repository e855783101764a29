import type { OpenPolicy, Policy } from '@berth/contract'
import type { Again, Caller } from '../domain/caller.ts'
import { AppError } from '../lib/app-error.ts'
import type { Reader } from '../store/database.ts'
import type { Authentication } from './authenticate.ts'
import type { Loaders } from './policies.ts'

type Rules = { authentication: Pick<Authentication, 'callerOfSession'>; loadersIn: (tx: Reader) => Loaders }
type Admitted = { may: Exclude<Policy, OpenPolicy>; caller: Caller; input: Record<string, unknown> }

/** For handlers that wait for a host before they write. */
export function admitAgain({ authentication, loadersIn }: Rules, { may, caller, input }: Admitted): Again {
  return async (tx) => {
    const now = await authentication.callerOfSession(caller.sessionId, caller.origin, tx)
    if (!now) throw new AppError('not_signed_in')
    return await loadersIn(tx)[may](now, input)
  }
}

import type { OpenPolicy, Policy } from '@berth/contract'
import type { Caller } from '../domain/caller.ts'
import { AppError } from '../lib/app-error.ts'
import type { Authentication } from './authenticate.ts'
import type { Loaders } from './policies.ts'

type Deps = { authentication: Pick<Authentication, 'callerOfSession'>; loaders: Loaders }
type Access = { caller: Caller; may: Exclude<Policy, OpenPolicy>; input: Record<string, unknown> }

const RECHECK_MS = 5000

/**
 * For what lasts: sockets and downloads. Tells within seconds that access was lost, by a logout, a removed member or a deleted project.
 * Returns a function that ends it.
 */
export function watchAccess({ authentication, loaders }: Deps, { caller, may, input }: Access, onLost: () => void): () => void {
  const timer = setInterval(() => {
    authentication
      .callerOfSession(caller.sessionId, caller.origin)
      .then(async (now) => {
        if (!now) throw new AppError('not_signed_in')
        await loaders[may](now, input)
      })
      .catch((err: unknown) => {
        if (err instanceof AppError && err.code !== 'engine_unreachable') onLost()
      })
  }, RECHECK_MS)
  return () => clearInterval(timer)
}

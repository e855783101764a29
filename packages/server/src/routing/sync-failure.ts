import type { EdgeUnavailable } from '../edge/edge.ts'
import { EngineError, EngineUnreachable } from '../engine/api/errors.ts'

/** Why the edge does not route as wanted: the engine did not list the containers, or the edge did not accept the routes. */
export type SyncFailure = EngineUnreachable | EngineError | EdgeUnavailable

export function isOfEngine(err: unknown): err is EngineUnreachable | EngineError {
  return err instanceof EngineUnreachable || err instanceof EngineError
}

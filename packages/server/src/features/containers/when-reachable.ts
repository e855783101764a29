import { EngineError, EngineUnreachable, ServerAway, VolumeLost } from '../../engine/api/errors.ts'
import { AppError } from '../../lib/app-error.ts'
import { createRedactor } from '../../lib/redact.ts'

/** If the engine is unreachable or refuses, the caller gets a clear error. */
export async function whenReachable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof EngineUnreachable) throw new AppError('engine_unreachable', { cause })
    if (cause instanceof ServerAway) throw new AppError('server_away', { message: cause.message, cause })
    if (cause instanceof VolumeLost) throw new AppError('volume_lost', { message: cause.message, cause })
    if (cause instanceof EngineError)
      throw new AppError('engine_unreachable', {
        message: `The container engine refused: ${createRedactor([]).text(cause.message)}`,
        cause,
      })
    throw cause
  }
}

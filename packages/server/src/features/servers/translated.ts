import type { ErrorCode } from '@berth/contract'
import { EngineError, EngineUnreachable, SwarmUnavailable } from '../../engine/api/errors.ts'
import { AppError } from '../../lib/app-error.ts'
import { cleanLine } from '../../lib/clean-line.ts'

/** What the engine answers, as an error that the caller can act on; `refusal` is the code for "no". */
export async function translated<Result>(work: () => Promise<Result>, refusal: ErrorCode = 'server_refused'): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof SwarmUnavailable) throw new AppError('swarm_unavailable', { cause })
    if (cause instanceof EngineUnreachable) throw new AppError('engine_unreachable', { cause })
    if (!(cause instanceof EngineError)) throw cause
    const words = cleanLine(cause.message.replace(/^rpc error: code = \w+ desc = /, ''))
    throw new AppError(refusal, { message: `Docker refused: ${words}`, cause })
  }
}

import type { Caller } from '../../domain/caller.ts'
import { AppError } from '../../lib/app-error.ts'
import { type createLimiter, LimiterFull } from '../../lib/limiter.ts'

/** Work that a person waits their turn for. A full queue is a 503 with this sentence. */
export async function limited<Result>(
  limiter: ReturnType<typeof createLimiter>,
  caller: Pick<Caller, 'id'>,
  message: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await limiter.run(caller.id, work)
  } catch (cause) {
    throw cause instanceof LimiterFull ? new AppError('server_busy', { message, cause }) : cause
  }
}

import { AppError } from './app-error.ts'
import { type Limiter, LimiterFull } from './limiter.ts'

/** Work that a person waits their turn for. A full queue is a 503 with this sentence. */
export async function limited<Result>(
  limiter: Limiter,
  person: { id: number },
  message: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await limiter.run(person.id, work)
  } catch (cause) {
    throw cause instanceof LimiterFull ? new AppError('server_busy', { message, cause }) : cause
  }
}

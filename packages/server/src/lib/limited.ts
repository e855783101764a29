import { AppError } from './app-error.ts'
import { type Limiter, LimiterFull } from './limiter.ts'

/** Runs work in the caller's turn. If the queue is full, the response is a 503 with this text. */
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

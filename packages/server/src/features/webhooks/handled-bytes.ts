import { createByteBudget } from '../../http/byte-budget.ts'
import { AppError } from '../../lib/app-error.ts'

const MIB = 1024 * 1024
const SMALL_BYTES = MIB
const LIMITS = { small: { all: 32 * MIB, perKey: 8 * MIB }, large: { all: 26 * MIB, perKey: 26 * MIB } }
const TOO_MUCH = 'Too many large deliveries are being handled; send it again in a few seconds.'

/**
 * Limits the bodies that are being handled, in all and of one person: meanwhile the host may be asked, which takes a second or more, and what
 * was parsed can take several times the memory of the body. Large ones are counted apart, so that they do not keep ordinary ones out.
 */
export function createWithinBudget() {
  const small = createByteBudget(LIMITS.small)
  const large = createByteBudget(LIMITS.large)

  return async function withinBudget<Result>(person: string, bytes: number, work: () => Promise<Result>): Promise<Result> {
    const budget = bytes <= SMALL_BYTES ? small : large
    if (!budget.take(person, bytes)) throw new AppError('server_busy', { message: TOO_MUCH })
    try {
      return await work()
    } finally {
      budget.giveBack(person, bytes)
    }
  }
}

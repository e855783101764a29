import type { Handlers } from '../../http/implement.ts'
import { AppError } from '../../lib/app-error.ts'

/** No provider can be connected yet, and without a secret no delivery can be verified. */
export function gitConnectionHandlers() {
  return {
    'git.repos': () => {
      throw new AppError('git_not_connected')
    },
    'git.branches': () => {
      throw new AppError('git_not_connected')
    },
    'webhooks.git': () => {
      throw new AppError('webhook_not_verified')
    },
  } satisfies Partial<Handlers>
}

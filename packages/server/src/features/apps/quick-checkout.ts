import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Caller } from '../../domain/caller.ts'
import { SourceError } from '../../git/errors.ts'
import type { Git } from '../../git/git.ts'
import type { Source } from '../../git/git-visit.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Limiter, LimiterFull } from '../../lib/limiter.ts'
import { removeTree } from '../../lib/remove-tree.ts'

type Deps = {
  git: Pick<Git, 'resolveCommit' | 'checkout'>
  /** The directory for temporary checkouts. */
  workDir: string
  /** Shared with other checks of sources. */
  limiter: Limiter
}
export type CheckoutRequest = { readonly source: Omit<Source, 'signal'>; readonly branch: string | null }

/** Smaller limits than for a deployment, because a person is waiting for the answer. */
const LOOK = { limits: { maxBytes: 50 * 1024 ** 2, maxFiles: 200_000 }, timeoutMs: 20_000 }

/** Runs `work` on a temporary checkout of the newest commit of a branch, in turn with the other checks of that person. */
export function createQuickCheckout({ git, workDir, limiter }: Deps) {
  async function look<Result>(
    request: CheckoutRequest,
    work: (directory: string, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const signal = AbortSignal.timeout(LOOK.timeoutMs)
    const into = await mkdtemp(join(workDir, 'plan-'))
    try {
      const source = { ...request.source, signal }
      const { hash } = await git.resolveCommit({ ...source, branch: request.branch })
      await git.checkout({ ...source, hash, branch: request.branch, into, within: LOOK })
      return await work(into, signal)
    } catch (cause) {
      if (signal.aborted) throw new SourceError('The repository did not answer within 20 seconds.', { cause })
      throw cause
    } finally {
      await removeTree(into)
    }
  }

  return async function quickCheckout<Result>(
    caller: Pick<Caller, 'id'>,
    request: CheckoutRequest,
    work: (directory: string, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    return await inTurn(limiter, caller, async () => await look(request, work))
  }
}

export type QuickCheckout = ReturnType<typeof createQuickCheckout>

/** Work on a source that a person waits for. */
async function inTurn<Result>(queue: Limiter, caller: Pick<Caller, 'id'>, work: () => Promise<Result>): Promise<Result> {
  try {
    return await queue.run(caller.id, work)
  } catch (cause) {
    if (cause instanceof LimiterFull) throw new AppError('too_many_source_checks', { cause })
    if (cause instanceof SourceError) throw new AppError('invalid_source', { message: cause.message, cause })
    throw cause
  }
}

import { kindOf } from '../../../domain/app-kinds.ts'
import type { AppRow } from '../../../domain/rows.ts'
import type { Git } from '../../../git/git.ts'
import type { Source } from '../../../git/git-visit.ts'
import { createLimiter } from '../../../lib/limiter.ts'

type Deps = {
  git: Pick<Git, 'resolveCommit'>
  sourceOf: (app: AppRow, signal: AbortSignal) => Promise<Source>
  waitMs: number
}

type FoundCommit = { hash: string; branch: string; message: string; author: string }

/**
 * The commit is pinned when the deployment is requested; if the remote does not answer quickly, the worker asks again. There can be many
 * lookups, but they are short.
 */
export function createNewestCommit({ git, sourceOf, waitMs }: Deps) {
  const limiter = createLimiter({ running: 4, runningPerKey: 2, waiting: 500, waitingPerKey: 100, waitMs })
  return async (app: AppRow): Promise<FoundCommit | undefined> => {
    if (app.git_clone_url === '' || kindOf(app).madeFrom === 'template') return undefined
    const signal = AbortSignal.timeout(waitMs)
    const ask = async () => {
      return await git.resolveCommit({ ...(await sourceOf(app, signal)), signal, branch: app.git_branch === '' ? null : app.git_branch })
    }
    try {
      const { hash, branch } = await limiter.run(app.created_by, ask, signal)
      return { hash, branch, message: '', author: '' }
    } catch {
      return undefined // the worker will get the same error and report it on the deployment
    }
  }
}

export type NewestCommit = ReturnType<typeof createNewestCommit>

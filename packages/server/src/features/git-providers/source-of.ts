import { mayUseAccount } from '../../domain/account-use.ts'
import { kindOf } from '../../domain/app-kinds.ts'
import { isStaff } from '../../domain/caller.ts'
import { type AppRow, findGitAccount, findUser, type GitAccountRow } from '../../domain/rows.ts'
import { parseCloneUrl } from '../../git/clone-url.ts'
import { SourceRefused } from '../../git/errors.ts'
import type { Git } from '../../git/git.ts'
import type { Source } from '../../git/git-visit.ts'
import { cloneCredential } from '../../git-hosts/hosts.ts'
import { createLimiter } from '../../lib/limiter.ts'
import type { Reader } from '../../store/database.ts'
import type { HostAccess } from './host-access.ts'

type Access = Pick<HostAccess, 'forClone'>
type Deps = {
  db: Reader
  access: Access
  /** With the app's deploy key; undefined if it has none. */
  sshAccessOf: (app: AppRow) => Promise<Source['ssh']>
}

/**
 * The source of an app as git needs it: its URL, whose rights count, and the credential of its account or its deploy key. All are loaded
 * each time, so revoked access takes effect at once.
 */
export function createSourceOf({ db, access, sshAccessOf }: Deps) {
  async function withRights(app: AppRow, signal: AbortSignal | undefined): Promise<Source> {
    const url = app.git_clone_url
    const account = app.git_provider_id === null ? undefined : await findGitAccount(db, app.git_provider_id)
    if (account === undefined) {
      const setter = app.source_set_by === null ? undefined : await findUser(db, app.source_set_by)
      return { url, privileged: setter !== undefined && isStaff(setter) } // not the owner: an app can be transferred to anybody
    }
    if (!(await mayUseAccount(db, account, app)))
      throw new SourceRefused(
        `The git account "${account.name}" can no longer be used for this app. Choose the repository again with your own account or one of the project.`,
      )
    return await withAccount(access, account, { url, signal })
  }

  return async function sourceOf(app: AppRow, signal?: AbortSignal): Promise<Source> {
    const source = await withRights(app, signal)
    const ssh = parseCloneUrl(source.url)?.kind === 'ssh' ? await sshAccessOf(app) : undefined
    return ssh === undefined ? source : { ...source, ssh }
  }
}

export type SourceOf = ReturnType<typeof createSourceOf>

type CommitDeps = {
  git: Pick<Git, 'resolveCommit'>
  sourceOf: SourceOf
  /** Of a project. People take turns, and an app may have been given to its owner, who was not asked. */
  ownerOf: (projectId: number) => Promise<number | undefined>
  waitMs: number
}
type FoundCommit = { hash: string; branch: string; message: string; author: string }

/**
 * The commit is pinned when the deployment is requested; if the remote does not answer quickly, the worker asks again. There can be many
 * lookups, but they are short.
 */
export function createNewestCommit({ git, sourceOf, ownerOf, waitMs }: CommitDeps) {
  const limiter = createLimiter({ running: 4, runningPerKey: 2, waiting: 500, waitingPerKey: 100, waitMs })
  return async (app: AppRow): Promise<FoundCommit | undefined> => {
    if (app.git_clone_url === '' || kindOf(app).madeFrom === 'template') return undefined
    const signal = AbortSignal.timeout(waitMs)
    const ask = async () => {
      return await git.resolveCommit({ ...(await sourceOf(app, signal)), signal, branch: app.git_branch === '' ? null : app.git_branch })
    }
    try {
      const { hash, branch } = await limiter.run((await ownerOf(app.project_id)) ?? 0, ask, signal)
      return { hash, branch, message: '', author: '' }
    } catch {
      return undefined // the worker will get the same error and report it on the deployment
    }
  }
}

export type NewestCommit = ReturnType<typeof createNewestCommit>

/** A source with the credential of an account. */
export async function withAccount(
  access: Access,
  account: GitAccountRow,
  { url, signal }: { url: string; signal?: AbortSignal | undefined },
): Promise<Pick<Source, 'url' | 'privileged' | 'credential'>> {
  const identity = await access.forClone(account, signal)
  return { url, privileged: identity.privileged, credential: cloneCredential(identity) }
}

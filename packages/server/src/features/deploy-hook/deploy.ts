import type { HookDeployment, QueuedDeployment } from '@berth/contract'
import { PLATFORM } from '../../domain/audit.ts'
import type { Origin } from '../../domain/caller.ts'
import { type AppRow, findApp, findDeployment } from '../../domain/rows.ts'
import { isBranchName } from '../../git/ref.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { Db } from '../../store/database.ts'
import type { AddAutomatic } from '../deployments/automatic.ts'

type Commit = { hash: string; message: string; author: string }
type Lookup = (app: AppRow) => Promise<Commit | undefined>

type Deps = {
  db: Db
  addAutomatic: AddAutomatic
  /** The newest commit of the app's branch, if its host says so at once: the worker asks again otherwise. */
  newestCommit: Lookup
  /** The same with more patience: for another branch there is nobody who asks again. */
  newestCommitOfBranch: Lookup
  /** False where this call is one too many for the app in this minute. */
  isWithinRate: (appId: number) => boolean
}

const NO_COMMIT: Commit = { hash: '', message: '', author: '' }
const TOO_MANY = 'This deploy hook is called more than 120 times a minute; call it again in a minute.'

/** What a call of a deploy hook does. */
export function createDeployByHook(deps: Deps) {
  async function commitFor(app: AppRow, { commit, branch }: HookDeployment): Promise<Commit> {
    if (commit !== undefined) return { ...NO_COMMIT, hash: commit }
    if (branch === undefined || branch === app.git_branch) return (await deps.newestCommit(app)) ?? NO_COMMIT
    const found = await deps.newestCommitOfBranch({ ...app, git_branch: branch })
    if (found === undefined)
      throw fieldError('invalid_source', 'branch', 'must be a branch of the repository; this one is not there, or the host does not answer')
    return found
  }

  return async function deployByHook(app: AppRow, wanted: HookDeployment, origin: Origin): Promise<QueuedDeployment> {
    if (!deps.isWithinRate(app.id)) throw new AppError('server_busy', { message: TOO_MANY })
    if (wanted.branch !== undefined && !isBranchName(wanted.branch))
      throw fieldError('invalid_source', 'branch', 'must be the name of a branch')
    const commit = await commitFor(app, wanted)
    return await deps.db.transaction(async (tx) => {
      const current = await findApp(tx, app.id) // its source may have changed while the host was asked
      if (current?.hook_hash !== app.hook_hash) throw new AppError('webhook_not_verified')
      const by = { ...PLATFORM, email: 'deploy hook', origin }
      const done = await deps.addAutomatic(tx, { app: current, trigger: 'hook', commit, by })
      if ('problem' in done) throw new AppError('invalid_request', { message: `No deployment was added: ${done.problem}.` })
      const row = await findDeployment(tx, done.deploymentId)
      if (!row) throw new Error(`deployment ${done.deploymentId} is not there`)
      const { id, app_id, commit_hash, commit_message, status, stage, progress, created_at } = row
      return { id, app_id, commit_hash, commit_message, status, stage, progress, created_at }
    })
  }
}

export type DeployByHook = ReturnType<typeof createDeployByHook>

import type { HookDeployment, QueuedDeployment } from '@berth/contract'
import { deploysImage } from '../../domain/app-kinds.ts'
import { PLATFORM } from '../../domain/audit.ts'
import type { Origin } from '../../domain/caller.ts'
import { type AppRow, findApp, findDeployment } from '../../domain/rows.ts'
import { sourceKey } from '../../domain/source-key.ts'
import { isBranchName } from '../../git/ref.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import type { AddAutomatic } from '../deployments/request/automatic.ts'
import type { NewestCommit } from '../git-providers/source-of.ts'
import { mayMakerDeploy } from './store.ts'

type Commit = { hash: string; message: string; author: string }

type Deps = {
  db: Db
  addAutomatic: AddAutomatic
  /** The newest commit of the app's branch, or undefined if its host is slow: the worker asks again. */
  newestCommit: NewestCommit
  /** The same with a longer timeout: for another branch, the worker does not ask again. */
  newestCommitOfBranch: NewestCommit
  /** Whether this commit was live before. */
  wasDeployed: (appId: number, hash: string) => Promise<boolean>
  /** False if the hook, or all hooks that its maker made, received too many calls in this minute. */
  isWithinRate: (app: AppRow) => boolean
}

const NO_COMMIT: Commit = { hash: '', message: '', author: '' }
/** In a minute. A person could otherwise make hooks without end, and fill tables that everybody shares. */
export const MOST_CALLS = { ofHook: 120, ofMaker: 600 }
const TOO_MANY = `This deploy hook was called more than ${MOST_CALLS.ofHook} times within a minute, or all hooks that its creator made more than ${MOST_CALLS.ofMaker} times. Try again in a minute.`

const NOT_THERE = 'must be a branch of the repository; this one does not exist, or the host does not respond'
const CANNOT_TELL = 'cannot be compared with the branch: it does not exist, or the host does not respond'
const notNewest = (branch: string) =>
  `must be the newest commit of ${branch}, or one that was live before; which others are on it can only be told with a git account`
const OTHER_BRANCH = 'must be the branch that the app deploys from, because its source is a git account'
const NO_LONGER = 'The user who created this deploy hook can no longer deploy the app. Ask a member of its project to create a new secret.'
const OTHER_SOURCE = 'The source of the app was changed at the same time. Call the deploy hook again.'

/** Handles a call of a deploy hook. */
export function createDeployByHook(deps: Deps) {
  async function commitFor(app: AppRow, { commit, branch }: HookDeployment): Promise<Commit> {
    if (deploysImage(app) && (commit ?? branch) !== undefined)
      throw fieldError('invalid_request', commit === undefined ? 'branch' : 'commit', 'cannot be given: this app runs a ready image')
    if (commit !== undefined) {
      if (app.git_provider_id === null) await refuseUnknownCommit(app, commit, branch)
      return { ...NO_COMMIT, hash: commit } // with an account the worker asks the host whether the commit is on the branch
    }
    if (branch === undefined || branch === app.git_branch) return (await deps.newestCommit(app)) ?? NO_COMMIT
    // An account was lent to the app for one branch: whoever knows the secret must not learn what is on the others.
    const isLent = app.git_provider_id !== null
    if (isLent && app.git_branch !== '') throw fieldError('invalid_source', 'branch', OTHER_BRANCH)
    const found = await deps.newestCommitOfBranch(isLent ? app : { ...app, git_branch: branch })
    if (found === undefined) throw fieldError('invalid_source', 'branch', NOT_THERE)
    if (found.branch !== branch) throw fieldError('invalid_source', 'branch', OTHER_BRANCH)
    return found
  }

  /** Hosts also serve commits of forks, which anybody can make, under the URL of the repository. */
  async function refuseUnknownCommit(app: AppRow, commit: string, branch = app.git_branch): Promise<void> {
    if (await deps.wasDeployed(app.id, commit)) return
    const newest = await deps.newestCommitOfBranch({ ...app, git_branch: branch })
    if (newest === undefined) throw fieldError('invalid_source', 'commit', CANNOT_TELL)
    if (newest.hash !== commit) throw fieldError('invalid_source', 'commit', notNewest(newest.branch))
  }

  return async function deployByHook(app: AppRow, wanted: HookDeployment, origin: Origin): Promise<QueuedDeployment> {
    if (!deps.isWithinRate(app)) throw new AppError('server_busy', { message: TOO_MANY })
    await refuseFormerMaker(deps.db, app)
    if (wanted.branch !== undefined && !isBranchName(wanted.branch))
      throw fieldError('invalid_source', 'branch', 'must be the name of a branch')
    const commit = await commitFor(app, wanted)
    return await deps.db.transaction(async (tx) => {
      const current = await stillTheSame(tx, app)
      const by = { ...PLATFORM, email: 'deploy hook', origin }
      const done = await deps.addAutomatic(tx, { app: current, trigger: 'hook', commit, by, askedBy: current.hook_by })
      if ('problem' in done) throw new AppError('invalid_request', { message: `No deployment was added: ${done.problem}.` })
      const row = await findDeployment(tx, done.deploymentId)
      if (!row) throw new Error(`deployment ${done.deploymentId} is not there`)
      const { id, app_id, commit_hash, commit_message, status, stage, progress, created_at } = row
      return { id, app_id, commit_hash, commit_message, status, stage, progress, created_at }
    })
  }
}

async function refuseFormerMaker(db: Reader, app: AppRow): Promise<void> {
  if (!(await mayMakerDeploy(db, app))) throw new AppError('not_allowed', { message: NO_LONGER })
}

/** Its hook, its maker's rights and its source may have changed while the host was asked. */
async function stillTheSame(tx: Tx, app: AppRow): Promise<AppRow> {
  const current = await findApp(tx, app.id)
  if (current?.hook_hash !== app.hook_hash) throw new AppError('webhook_not_verified')
  await refuseFormerMaker(tx, current)
  if (sourceKey(current) !== sourceKey(app)) throw new AppError('invalid_request', { message: OTHER_SOURCE })
  return current
}

export type DeployByHook = ReturnType<typeof createDeployByHook>

import type { AppRow } from '../../domain/rows.ts'
import { globMatcher } from './glob.ts'
import { branchOf, type Push } from './push.ts'

type JudgedApp = Pick<AppRow, 'git_branch' | 'auto_deploy' | 'watch_paths'>

const SKIP = /\[(skip deploy|skip ci|ci skip)\]/i
/**
 * Comparisons of one character of a path with one of a pattern. They are made inside the write transaction, so this takes well below a
 * second.
 */
const MOST_COMPARISONS = 20_000_000

/** Why a push concerns no app; undefined if it may concern one. */
export function whyIgnored(push: Push): string | undefined {
  const branch = branchOf(push)
  if (branch === undefined) return `${push.ref} is not a branch; only pushes to branches deploy.`
  return push.isDeleted ? `The branch ${branch} was deleted.` : undefined
}

/** Why a push does not deploy this app; undefined if it does. */
export function whyNotDeployed(app: JudgedApp, push: Push): string | undefined {
  const branch = branchOf(push)
  const wanted = app.git_branch === '' ? push.defaultBranch : app.git_branch
  if (branch !== wanted) return `it deploys from the branch ${wanted}`
  if (app.auto_deploy === 0) return 'auto-deploy is off'
  const word = SKIP.exec(push.message)?.[0]
  if (word !== undefined) return `the commit message says ${word}`
  const patterns = JSON.parse(app.watch_paths) as string[] // written by us, as the contract says
  if (patterns.length === 0 || push.paths === null) return undefined
  if (lengthOf(push.paths) * lengthOf(patterns) > MOST_COMPARISONS) return undefined // as if the host had not listed the changed files
  const matchers = patterns.map(globMatcher)
  const isWatched = push.paths.some((path) => matchers.some((matches) => matches(path)))
  return isWatched ? undefined : `no watched path changed (${patterns.join(', ')})`
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}

import type { AppRow } from '../../domain/rows.ts'
import { globMatcher, hasWildcards, withoutEnds } from './glob.ts'
import { branchOf, type Push } from './push.ts'

type JudgedApp = Pick<AppRow, 'git_branch' | 'auto_deploy' | 'watch_paths'>

const SKIP = /\[(skip deploy|skip ci|ci skip)\]/i
/**
 * Comparisons of one character of a path with one of a pattern, for all apps of a push together. They are made inside the write
 * transaction, so this takes well below a second.
 */
const MOST_COMPARISONS = 10_000_000

type Comparisons = { left: number }
export const newComparisons = (): Comparisons => ({ left: MOST_COMPARISONS })

/** Gives the work an equal part of what is left for so many apps, so that the patterns of one do not use up those of the others. */
export function withShare<Result>(all: Comparisons, apps: number, work: (share: Comparisons) => Result): Result {
  const given = Math.floor(all.left / apps)
  const share = { left: given }
  const result = work(share)
  all.left -= given - Math.max(0, share.left)
  return result
}

class TooManyComparisons extends Error {
  override readonly name = 'TooManyComparisons'
}

/** Why a push concerns no app; undefined if it may concern one. */
export function whyIgnored(push: Push): string | undefined {
  const branch = branchOf(push)
  if (branch === undefined) return `${push.ref} is not a branch; only pushes to branches deploy.`
  return push.isDeleted ? `The branch ${branch} was deleted.` : undefined
}

/** Why a push does not deploy this app; undefined if it does. */
export function whyNotDeployed(app: JudgedApp, push: Push, comparisons: Comparisons): string | undefined {
  const branch = branchOf(push)
  const wanted = app.git_branch === '' ? push.defaultBranch : app.git_branch
  if (branch !== wanted) return `it deploys from the branch ${wanted}`
  if (app.auto_deploy === 0) return 'auto-deploy is off'
  const word = SKIP.exec(push.message)?.[0]
  if (word !== undefined) return `the commit message says ${word}`
  const patterns = JSON.parse(app.watch_paths) as string[] // written by us, as the contract says
  if (patterns.length === 0 || push.paths === null) return undefined
  return isWatched(patterns, push.paths, comparisons) ? undefined : `no watched path changed (${patterns.join(', ')})`
}

/** Longer than any pattern may be. */
const LONGEST_PLACE = 200
const places = new WeakMap<readonly string[], ReadonlySet<string>>()

/** The changed files and all directories that they are in: made once for a push, and asked for every app that it concerns. */
function placesOf(paths: readonly string[]): ReadonlySet<string> {
  const known = places.get(paths)
  if (known !== undefined) return known
  const found = new Set(paths)
  for (const path of paths)
    for (let end = path.lastIndexOf('/', LONGEST_PLACE); end > 0 && !found.has(path.slice(0, end)); end = path.lastIndexOf('/', end - 1))
      found.add(path.slice(0, end))
  places.set(paths, found)
  return found
}

/** Beyond the limit it is as if the host had not listed the changed files. */
function isWatched(patterns: readonly string[], paths: readonly string[], comparisons: Comparisons): boolean {
  const [wild, plain] = [patterns.filter(hasWildcards), patterns.filter((pattern) => !hasWildcards(pattern))]
  if (plain.some((pattern) => placesOf(paths).has(withoutEnds(pattern)))) return true
  const spend = (count: number) => {
    comparisons.left -= count
    if (comparisons.left < 0) throw new TooManyComparisons()
  }
  try {
    const matchers = wild.map((pattern) => globMatcher(pattern, spend))
    return paths.some((path) => matchers.some((matches) => matches(path)))
  } catch (cause) {
    if (cause instanceof TooManyComparisons) return true
    throw cause
  }
}

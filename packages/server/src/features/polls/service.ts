import { deploysImage } from '../../domain/app-kinds.ts'
import { type AppRow, findApp, findProject } from '../../domain/rows.ts'
import { sourceKey } from '../../domain/source-key.ts'
import type { Git } from '../../git/git.ts'
import type { Source } from '../../git/git-visit.ts'
import type { Limiter } from '../../lib/limiter.ts'
import type { Logger } from '../../lib/logger.ts'
import { backoffMs } from '../../lib/retry.ts'
import type { Db, Tx } from '../../store/database.ts'
import type { AddAutomatic } from '../deployments/request/automatic.ts'
import { findPoll, hasDeployments, isKnownCommit, isKnownImage, listDue, type SourcePollRow, savePoll } from './store.ts'

type Deps = {
  db: Db
  git: Pick<Git, 'resolveCommit'>
  sourceOf: (app: AppRow) => Promise<Source>
  /** The digest that the tag of its ready image has now. */
  digestOf: (app: AppRow, signal: AbortSignal) => Promise<string>
  addAutomatic: AddAutomatic
  limiter: Limiter
  everyMs: number
  /** Between 0 and 1. */
  random: () => number
  log: Pick<Logger, 'warn'>
  now: () => Date
}

const LOOK_MS = 20_000
const MOST_OF_PERSON = 5
const LONGEST_PAUSE_MS = 3600_000
/** Spreads polls that started at the same time. */
const JITTER = 0.2

/** Asks now and then what the branch or the image of an app is at: a webhook that got lost, or that nobody could register, is no loss. */
export function createPolls(deps: Deps) {
  const { db, now } = deps

  async function lookAtDue(signal: AbortSignal): Promise<void> {
    const due = await listDue(db, { now: now(), firstAfterMs: deps.everyMs, mostOfPerson: MOST_OF_PERSON })
    const looks = due.map(async (app) => {
      const owner = (await findProject(db, app.project_id))?.owner_id ?? 0 // the app may have been given to its owner, who was not asked
      await deps.limiter.run(owner, async () => await look(app, signal), signal)
    })
    for (const done of await Promise.allSettled(looks))
      if (done.status === 'rejected' && !signal.aborted) deps.log.warn({ err: done.reason }, 'a source could not be polled')
  }

  /** A commit and its branch, or the digest of an image. */
  async function newest(app: AppRow, signal: AbortSignal): Promise<{ hash: string; branch: string }> {
    if (deploysImage(app)) return { hash: await deps.digestOf(app, signal), branch: '' }
    const branch = app.git_branch === '' ? null : app.git_branch
    return await deps.git.resolveCommit({ ...(await deps.sourceOf(app)), branch, signal })
  }

  async function look(app: AppRow, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
    const found = await Promise.resolve()
      .then(async () => await newest(app, limit))
      .catch(() => undefined) // the next manual deployment reports the problem
    signal.throwIfAborted()
    await db.transaction(async (tx) => {
      const current = await findApp(tx, app.id)
      if (!current) return
      const before = await findPoll(tx, app.id)
      const after = found === undefined ? failed(before) : { ...(await judge(tx, current, { asked: app, before, found })), failures: 0 }
      await savePoll(tx, { app_id: app.id, ...after, next_at: next(after.failures) })
    })
  }

  function failed(before: SourcePollRow | undefined) {
    return { source: before?.source ?? '', commit_hash: before?.commit_hash ?? '', failures: (before?.failures ?? 0) + 1 }
  }

  function next(failures: number): string {
    const pause = failures === 0 ? deps.everyMs : backoffMs(failures + 1, { firstMs: deps.everyMs, longestMs: LONGEST_PAUSE_MS })
    return new Date(now().getTime() + pause * (1 - JITTER / 2 + JITTER * deps.random())).toISOString()
  }

  type Seen = { asked: AppRow; before: SourcePollRow | undefined; found: { hash: string; branch: string } }

  /** Deploys a new commit, and returns what to remember. */
  async function judge(tx: Tx, app: AppRow, { asked, before, found }: Seen): Promise<{ source: string; commit_hash: string }> {
    const [source, kept] = [sourceKey(asked), { source: before?.source ?? '', commit_hash: before?.commit_hash ?? '' }]
    if (sourceKey(app) !== source || app.auto_deploy === 0) return kept // changed during the lookup
    const { hash, branch } = found
    const seen = { source, commit_hash: hash }
    if (!(await isNews(tx, app, { before: kept, seen, branch }))) return seen
    const done = await deps.addAutomatic(tx, {
      app,
      trigger: 'poll',
      commit: { hash: deploysImage(app) ? '' : hash, message: '', author: '' },
    })
    return 'problem' in done ? kept : seen
  }

  return { lookAtDue }
}

type Remembered = Pick<SourcePollRow, 'source' | 'commit_hash'>

/** An app that was never deployed waits for its first manual deployment; one whose source changed waits for the next push. */
async function isNews(tx: Tx, app: AppRow, look: { before: Remembered; seen: Remembered; branch: string }): Promise<boolean> {
  const { before, seen, branch } = look
  if (before.commit_hash === seen.commit_hash && before.source === seen.source) return false
  if (before.commit_hash !== '' && before.source !== seen.source) return false
  if (!(await hasDeployments(tx, app.id))) return false
  if (!deploysImage(app)) return !(await isKnownCommit(tx, app.id, { hash: seen.commit_hash, branch }))
  // A tag may go back to what it was before. Until something is remembered, that looks like a release that somebody rolled back from.
  return !(await isKnownImage(tx, { appId: app.id, digest: seen.commit_hash, everCounts: before.commit_hash === '' }))
}

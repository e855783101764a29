/** What is known about a push to a branch. */
export type EarlierPush = { before: string; after: string; pushedAt: string }

/**
 * Whether a push is older than the newest one that was already delivered. Hosts deliver in parallel and retry for hours, so the order of
 * arrival means little. The order follows from the commit that each push says the branch had before; otherwise from the time of the push, if
 * the host reports it. Undefined if neither decides.
 */
export function isOlderThan(newest: EarlierPush | undefined, push: EarlierPush): boolean | undefined {
  if (newest === undefined) return false
  if (push.before === newest.after) return false // the next one, even if it leads back to an old commit or the host's clock was wrong
  if (push.pushedAt !== '' && newest.pushedAt !== '' && push.pushedAt !== newest.pushedAt) return push.pushedAt < newest.pushedAt
  return undefined
}

/** Whether an earlier delivery already reported a push on top of this one. */
export function isContinuedIn(earlier: readonly EarlierPush[], push: EarlierPush): boolean {
  return earlier.some(({ before, after }) => before === push.after && after !== push.after)
}

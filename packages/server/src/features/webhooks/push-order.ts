/** What is known about pushes to one branch, newest received first. */
export type EarlierPush = { before: string; after: string; pushedAt: string; isLate: boolean }
type NewPush = Omit<EarlierPush, 'isLate'>

/**
 * Whether a push is older than one that was already delivered. Hosts deliver in parallel and retry for hours, so the order of arrival means
 * little. The order follows from the commit that each push says the branch had before; otherwise from the time of the push, if the host
 * reports it.
 */
export function isLatePush(push: NewPush, earlier: readonly EarlierPush[]): boolean {
  const inOrder = earlier.filter(({ isLate }) => !isLate)
  const [newest] = inOrder
  if (newest === undefined) return false
  if (push.before === newest.after) return false // the next one, even if it leads back to an old commit or the host's clock was wrong
  if (push.pushedAt !== '' && newest.pushedAt !== '' && push.pushedAt !== newest.pushedAt) return push.pushedAt < newest.pushedAt
  return earlier.some(({ before, after }) => before === push.after && after !== push.after)
}

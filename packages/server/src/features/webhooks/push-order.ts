/** What is known of pushes to one branch, newest received first. */
export type EarlierPush = { before: string; after: string; pushedAt: string; isLate: boolean }
type NewPush = Omit<EarlierPush, 'isLate'>

/**
 * Whether a push was made before one that was delivered already. Hosts deliver side by side and try again for hours, so the order of
 * arrival says little. What each push says
 * that the branch was at before it tells which is the next; beyond that, when it was pushed, where the host says so.
 */
export function isLatePush(push: NewPush, earlier: readonly EarlierPush[]): boolean {
  const inOrder = earlier.filter(({ isLate }) => !isLate)
  const [newest] = inOrder
  if (newest === undefined) return false
  if (push.before === newest.after) return false // the next one, also where it leads back to an old commit or the host's clock was wrong
  if (push.pushedAt !== '' && newest.pushedAt !== '' && push.pushedAt !== newest.pushedAt) return push.pushedAt < newest.pushedAt
  return earlier.some(({ before, after }) => before === push.after && after !== push.after)
}

export type Account = { readonly uid: number; readonly gid: number }
/** The lists of an image, read only if a name has to be looked up. */
type Lists = { readonly accounts: () => Promise<string>; readonly groups: () => Promise<string> }

const NUMBER = /^\d{1,9}$/
/** The largest that a tar header holds without an extension. */
const LARGEST_ID = 0o7777777

/** The account that `USER` of an image means: a name or number, and perhaps a group. Undefined for root, unknown names and huge numbers. */
export async function accountIn(user: string, { accounts, groups }: Lists): Promise<Account | undefined> {
  const [name = '', group = ''] = user.split(':')
  if (name === '' || name === 'root' || name === '0') return undefined
  const found = lineWith(await accounts(), ([word, , uid]) => (NUMBER.test(name) ? uid === name : word === name))
  const uid = NUMBER.test(name) ? name : found?.[2]
  if (uid === undefined || !NUMBER.test(uid) || Number(uid) === 0) return undefined
  const gid = group === '' ? (found?.[3] ?? '0') : NUMBER.test(group) ? group : lineWith(await groups(), ([word]) => word === group)?.[2]
  const account = { uid: Number(uid), gid: gid !== undefined && NUMBER.test(gid) ? Number(gid) : 0 }
  return Math.max(account.uid, account.gid) > LARGEST_ID ? undefined : account
}

/** Line by line: a list of a megabyte can have a million lines. */
function lineWith(list: string, isIt: (words: readonly string[]) => boolean): string[] | undefined {
  for (let from = 0; from < list.length; ) {
    const end = list.indexOf('\n', from)
    const to = end === -1 ? list.length : end
    const words = to === from ? [] : list.slice(from, to).split(':')
    if (isIt(words)) return words
    from = to + 1
  }
  return undefined
}

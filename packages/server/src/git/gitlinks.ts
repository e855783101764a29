/** A commit of another repository in a tree: a submodule. */
export type Gitlink = { readonly path: string; readonly hash: string }

const GITLINK = /^160000 commit ([0-9a-f]{40,64}) +-\t([^]*)$/

/** The gitlinks among the entries of `ls-tree -l`. */
export function gitlinkIn(entry: string): Gitlink | undefined {
  const [, hash, name = ''] = GITLINK.exec(entry) ?? []
  return hash === undefined ? undefined : { hash, path: Buffer.from(name, 'latin1').toString('utf8') }
}

export const LIST_MODULES = ['config', '--no-includes', '-z', '--get-regexp', '^submodule[.].*[.](path|url)$'] as const

/** Parses `git config -z`: a key, a line break and the value, for each. */
export function moduleUrlsIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, { path?: string; url?: string }>()
  for (const item of text.split('\u0000')) {
    const end = item.indexOf('\n')
    const [, name, key] = /^submodule[.]([^]*)[.](path|url)$/.exec(item.slice(0, Math.max(end, 0))) ?? []
    if (name !== undefined && key !== undefined) found.set(name, { ...found.get(name), [key]: item.slice(end + 1) })
  }
  return new Map([...found.values()].flatMap(({ path: place, url }) => (place === undefined || url === undefined ? [] : [[place, url]])))
}

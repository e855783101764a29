import type { Deployment } from '@berth/contract'

type Known = Pick<Deployment, 'id' | 'commit_hash' | 'commit_url'>

/** The commits that were deployed after one deployment, up to and with another; each once, the newest first. */
export function commitsBetween<Each extends Known>(list: readonly Each[], pair: readonly [Known, Known]): Each[] {
  const [first, last] = [...pair].sort((a, b) => a.id - b.id)
  if (!first || !last) return []
  const within = list.filter(
    ({ id, commit_hash }) => id > first.id && id <= last.id && commit_hash !== '' && commit_hash !== first.commit_hash,
  )
  const byHash = new Map(within.toSorted((a, b) => b.id - a.id).map((each) => [each.commit_hash, each]))
  return [...byHash.values()]
}

const COMMIT = /^(https:\/\/.+)\/commit\/([0-9a-f]+)$/

/** The host's page with everything that changed between two commits; GitHub, GitLab, Gitea and Forgejo name it alike. */
export function compareUrlOf(before: Known, after: Known): string | undefined {
  const [from, to] = [COMMIT.exec(before.commit_url), COMMIT.exec(after.commit_url)]
  if (!from || !to || from[1] !== to[1] || from[2] === to[2]) return undefined
  return `${from[1]}/compare/${from[2]}...${to[2]}`
}

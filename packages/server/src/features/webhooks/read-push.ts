import type { GitProvider } from '@berth/contract'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { FullName } from '../../git-hosts/answers.ts'
import type { Push } from './push.ts'

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const BranchName = Type.Optional(Type.Union([Type.String({ maxLength: 1000 }), Type.Null()]))
const Paths = Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()]))
const Commit = Type.Object({
  id: Type.String(),
  message: Text,
  author: Type.Optional(Type.Union([Type.Object({ name: Text }), Type.Null()])),
  added: Paths,
  removed: Paths,
  modified: Paths,
})
type Commit = Static<typeof Commit>
const shared = {
  ref: Type.String({ maxLength: 1000 }),
  before: Text,
  after: Type.String({ pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' }),
  commits: Type.Optional(Type.Union([Type.Array(Commit), Type.Null()])),
}
/** GitHub sends the time of the last push, in a push event as seconds since 1970; Gitea sends the last change, which a push is. */
const When = Type.Optional(Type.Union([Type.String({ maxLength: 100 }), Type.Integer(), Type.Null()]))
const Repository = Type.Object({ id: Type.Integer(), full_name: FullName, default_branch: BranchName, pushed_at: When, updated_at: When })
const Count = Type.Optional(Type.Union([Type.Integer(), Type.Null()]))
/** The formats of GitHub and Gitea are similar; each has fields that the other lacks. */
const GitHubPush = Type.Object({
  ...shared,
  repository: Repository,
  forced: Type.Optional(Type.Boolean()),
  head_commit: Type.Optional(Type.Union([Commit, Type.Null()])),
  total_commits: Count,
})
const GitLabPush = Type.Object({
  ...shared,
  project_id: Type.Integer(),
  project: Type.Object({ path_with_namespace: FullName, default_branch: BranchName }),
  total_commits_count: Count,
})
const readers = { github: lazily(GitHubPush), gitlab: lazily(GitLabPush) }

const MOST_PATHS = 5000
const LONGEST_PATH = 4096
const LONGEST_PATHS = 256 * 1024 // all of them together
const MOST_COMMITS = 2048 // GitHub lists no more
const LONGEST_MESSAGE = 10_000
const LONGEST_AUTHOR = 200
const NONE = /^0+$/
/** Names of branches are in an index, and PostgreSQL takes no entry of more than 2,704 bytes. */
const MOST_REF_BYTES = 1000
const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** The push in a delivery, or undefined if the body is not a push of this host. */
export function readPush(provider: GitProvider, body: unknown): Push | undefined {
  if (provider === 'gitlab') {
    const push = readers.gitlab(body)
    if (!push) return undefined
    const { project, project_id: id } = push
    const whole = { isWhole: (push.total_commits_count ?? 0) === (push.commits?.length ?? 0), head: headIn(push) }
    return present(push, { id, name: project.path_with_namespace, defaultBranch: project.default_branch ?? '', pushedAt: '' }, whole)
  }
  const push = readers.github(body)
  if (!push) return undefined
  const { id, full_name: name, default_branch: defaultBranch } = push.repository
  const count = push.commits?.length ?? 0
  const isWhole = push.forced !== true && (push.total_commits ?? count) === count && count < MOST_COMMITS
  const pushedAt = timeOf(provider === 'github' ? push.repository.pushed_at : push.repository.updated_at)
  return present(push, { id, name, defaultBranch: defaultBranch ?? '', pushedAt }, { isWhole, head: push.head_commit ?? headIn(push) })
}

type Shared = { ref: string; before?: string | null; after: string; commits?: Commit[] | null }

function headIn({ commits, after }: Shared): Commit | undefined {
  return commits?.find(({ id }) => id === after)
}

function present(
  push: Shared,
  repository: { id: number; name: string; defaultBranch: string; pushedAt: string },
  { isWhole, head }: { isWhole: boolean; head: Commit | null | undefined },
): Push | undefined {
  if (Buffer.byteLength(push.ref) > MOST_REF_BYTES) return undefined
  return {
    repositoryId: String(repository.id),
    repository: repository.name,
    defaultBranch: repository.defaultBranch,
    ref: push.ref,
    before: HASH.test(push.before ?? '') ? (push.before ?? '') : '',
    after: push.after,
    pushedAt: repository.pushedAt,
    isDeleted: NONE.test(push.after),
    paths: isWhole && !NONE.test(push.before ?? '0') ? pathsIn(push.commits ?? []) : null,
    message: (head?.message ?? '').slice(0, LONGEST_MESSAGE),
    author: (head?.author?.name ?? '').slice(0, LONGEST_AUTHOR),
  }
}

function timeOf(when: string | number | null | undefined): string {
  if (when === null || when === undefined) return ''
  const time = new Date(typeof when === 'number' ? when * 1000 : when)
  return Number.isNaN(time.getTime()) ? '' : time.toISOString()
}

/** Null if a commit does not list its changes, or if there are too many. */
function pathsIn(commits: readonly Commit[]): string[] | null {
  const paths = new Set<string>()
  let length = 0
  for (const { added, removed, modified } of commits) {
    if (!added || !removed || !modified) return null
    for (const path of [added, removed, modified].flat()) {
      if (!paths.has(path)) length += path.length
      paths.add(path)
      if (path.length > LONGEST_PATH || paths.size > MOST_PATHS || length > LONGEST_PATHS) return null
    }
  }
  return paths.size === 0 ? null : [...paths]
}

function lazily<Schema extends Type.TSchema>(schema: Schema) {
  let validator: { Check(value: unknown): boolean } | undefined
  return (value: unknown): Static<Schema> | undefined => {
    validator ??= Compile(schema)
    return validator.Check(value) ? (value as Static<Schema>) : undefined // it has just been checked
  }
}

import { createHmac, randomUUID } from 'node:crypto'
import { giteaRepository } from './gitea-api.ts'
import { gitHubRepository, gitHubUser } from './github-api.ts'
import { gitHubInstallation } from './github-apps-api.ts'
import { gitLabProject } from './gitlab-api.ts'
import type { HostApp, HostInstallation, HostRepo, Model } from './model.ts'

export type PushOptions = {
  repo: HostRepo
  commit: string
  branch?: string
  ref?: string
  before?: string
  message?: string
  paths?: readonly string[]
  forced?: boolean
  /** How many commits there were, where the host names fewer of them. */
  total?: number
  /** When it was pushed, in seconds since 1970; without it a second after the one before. */
  at?: number
  /** Of an app, which delivers it. */
  installation?: number
}

const BEFORE = '1'.repeat(40)
const NOBODY = '0'.repeat(40)
const PERSON = { name: 'Grace Tester', email: 'grace@example.test', username: 'grace' }

function commitOf(model: Model, { repo, commit, message = 'A change', paths = ['index.html'] }: PushOptions) {
  return {
    id: commit,
    tree_id: '2'.repeat(40),
    distinct: true,
    message,
    timestamp: '2026-01-02T03:04:05+01:00',
    url: `${model.origin}/${repo.fullName}/commit/${commit}`,
    author: PERSON,
    committer: PERSON,
    added: [],
    removed: [],
    modified: [...paths],
  }
}

/** The body of a push, with the fields that the host's documentation lists. */
export function pushPayload(model: Model, options: PushOptions): Record<string, unknown> {
  const { repo, commit, branch = 'main', before = BEFORE, forced = false } = options
  const ref = options.ref ?? `refs/heads/${branch}`
  const isDeleted = commit === NOBODY
  const commits = isDeleted ? [] : [commitOf(model, options)]
  const compare = `${model.origin}/${repo.fullName}/compare/${before.slice(0, 12)}...${commit.slice(0, 12)}`
  if (model.style === 'gitlab')
    return {
      object_kind: 'push',
      event_name: 'push',
      before,
      after: commit,
      ref,
      ref_protected: true,
      checkout_sha: isDeleted ? null : commit,
      message: null,
      user_id: 4,
      user_name: PERSON.name,
      user_username: PERSON.username,
      user_email: null,
      user_avatar: null,
      project_id: repo.id,
      project: {
        ...gitLabProject(model, repo),
        git_http_url: `${model.origin}/${repo.fullName}.git`,
        ci_config_path: null,
        homepage: '',
        url: '',
      },
      commits: commits.map(({ tree_id: _tree, distinct: _distinct, committer: _committer, ...rest }) => ({ ...rest, title: rest.message })),
      total_commits_count: options.total ?? commits.length,
      push_options: {},
      repository: { name: repo.fullName, url: '', description: '', homepage: '', visibility_level: 0 },
    }
  const at = options.at ?? (model.clock += 1)
  const repository =
    model.style === 'github'
      ? { ...gitHubRepository(model, repo), pushed_at: at, created_at: at, stargazers: 0, master_branch: repo.defaultBranch }
      : { ...giteaRepository(model, repo), updated_at: new Date(at * 1000).toISOString() }
  const shared = {
    ref,
    before,
    after: commit,
    commits,
    head_commit: commits[0] ?? null,
    repository,
    pusher: PERSON,
    sender: { login: 'grace', id: 4 },
  }
  if (model.style === 'gitea') return { ...shared, compare_url: compare, total_commits: options.total ?? commits.length }
  const { installation: id } = options
  const installation = id === undefined ? {} : { installation: { id, node_id: `MDIz${id}` } }
  return { ...shared, ...installation, base_ref: null, created: before === NOBODY, deleted: isDeleted, forced, compare }
}

/** What an app is told about one of its installations. */
export function installationPayload(model: Model, app: HostApp, installation: HostInstallation, action: string): Record<string, unknown> {
  return {
    action,
    installation: gitHubInstallation(model, app, installation),
    repositories: [],
    requester: null,
    sender: gitHubUser(model, installation.login, 9),
  }
}

/** The head of a delivery, signed with the secret as the host signs. */
export function deliveryHeaders(
  model: Model,
  signed: { secret: string; body: string; event?: string; id?: string },
): Record<string, string> {
  const { secret, body, id = randomUUID() } = signed
  const hex = createHmac('sha256', secret).update(body).digest('hex')
  if (model.style === 'gitlab')
    return {
      'content-type': 'application/json',
      'user-agent': 'GitLab/18.0.0',
      'idempotency-key': id,
      'x-gitlab-event': signed.event ?? 'Push Hook',
      'x-gitlab-event-uuid': randomUUID(),
      'x-gitlab-webhook-uuid': randomUUID(),
      'x-gitlab-instance': model.origin,
      'x-gitlab-token': secret,
    }
  const event = signed.event ?? 'push'
  const hub = { 'x-hub-signature-256': `sha256=${hex}`, 'x-github-event': event, 'x-github-delivery': id }
  const own = { 'x-gitea-event': event, 'x-gitea-event-type': event, 'x-gitea-delivery': id, 'x-gitea-signature': hex }
  return { 'content-type': 'application/json', 'user-agent': 'GitHub-Hookshot/044aadd', ...hub, ...(model.style === 'gitea' && own) }
}

import { type Answered, type Asked, branchesOf, type HostRepo, hookApi, isAncestor, type Model, page, visibleTo } from './model.ts'
import { statusApi } from './status-api.ts'

function giteaUser(model: Model, login: string, id: number) {
  return {
    id,
    login,
    login_name: '',
    source_id: 0,
    full_name: '',
    email: `${login}@example.test`,
    avatar_url: `${model.origin}/avatars/${id}`,
    html_url: `${model.origin}/${login}`,
    language: '',
    is_admin: false,
    last_login: '1970-01-01T00:00:00Z',
    created: '2020-01-01T00:00:00Z',
    restricted: false,
    active: true,
    prohibit_login: false,
    visibility: 'public',
    username: login,
  }
}

export function giteaRepository(model: Model, repo: HostRepo) {
  const [owner = '', name = ''] = repo.fullName.split('/')
  return {
    id: repo.id,
    owner: giteaUser(model, owner, 1),
    name,
    full_name: repo.fullName,
    description: '',
    empty: false,
    private: repo.isPrivate,
    fork: false,
    template: false,
    parent: null,
    mirror: false,
    size: 24,
    language: '',
    url: `${model.origin}/api/v1/repos/${repo.fullName}`,
    html_url: `${model.origin}/${repo.fullName}`,
    ssh_url: `git@localhost:${repo.fullName}.git`,
    clone_url: `http://localhost:3000/${repo.fullName}.git`, // as a host with another ROOT_URL says it, which nobody may follow
    default_branch: repo.defaultBranch,
    archived: false,
    created_at: repo.updatedAt,
    updated_at: repo.updatedAt,
    permissions: { admin: true, push: true, pull: true },
    has_issues: true,
    has_wiki: true,
    has_pull_requests: true,
    internal: false,
  }
}

const MISSING: Answered = { status: 404, body: { message: "The target couldn't be found.", url: '/api/swagger', errors: [] } }

/** The REST API of Gitea and Forgejo, below /api/v1. */
export async function giteaApi(model: Model, asked: Asked): Promise<Answered> {
  const [, , area = '', owner = '', name = '', thing = ''] = asked.path
  if (area === 'user' && owner === '') return { status: 200, body: giteaUser(model, asked.person.login, asked.person.id) }
  if (area === 'user' && owner === 'repos') {
    const list = visibleTo(model, asked.person).map((repo) => giteaRepository(model, repo))
    return page(model, asked, list, { name: 'limit', most: 50 })
  }
  const repo = visibleTo(model, asked.person).find(({ fullName }) => fullName === `${owner}/${name}`)
  if (!repo || area !== 'repos') return MISSING
  if (thing === '') return { status: 200, body: giteaRepository(model, repo) }
  if (thing === 'branches') {
    const list = (await branchesOf(repo)).map((branch) => ({
      name: branch.name,
      commit: { id: branch.commit, message: 'A change', url: `${model.origin}/${repo.fullName}/commit/${branch.commit}` },
      protected: branch.name === repo.defaultBranch,
      required_approvals: 0,
      enable_status_check: false,
      user_can_push: true,
      user_can_merge: true,
    }))
    return page(model, asked, list, { name: 'limit', most: 50 })
  }
  if (thing === 'compare') {
    const [newer = '', older = ''] = (asked.path[6] ?? '').split('...')
    return { status: 200, body: { total_commits: (await isAncestor(repo, older, newer)) ? 0 : 1, commits: [], files: [] } }
  }
  if (thing === 'hooks') {
    const config = (asked.body['config'] ?? {}) as Record<string, unknown> // what our own client sends
    return hookApi(model, asked, { repo, id: asked.path[6] ?? '', config, secret: config['secret'] })
  }
  if (thing === 'statuses') return statusApi(model, asked, { repo, commit: asked.path[6] ?? '' })
  return MISSING
}

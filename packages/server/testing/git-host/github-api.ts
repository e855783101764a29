import {
  type Answered,
  type Asked,
  branchesOf,
  type HostRepo,
  hookApi,
  isAncestor,
  type Model,
  NOT_FOUND,
  page,
  visibleTo,
} from './model.ts'
import { deploymentApi, statusApi } from './status-api.ts'

export function gitHubUser(model: Model, login: string, id: number) {
  const api = `${model.origin}/api/v3/users/${login}`
  return {
    login,
    id,
    node_id: `U_${id}`,
    avatar_url: `${model.origin}/avatars/u/${id}?`,
    gravatar_id: '',
    url: api,
    html_url: `${model.origin}/${login}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: 'User',
    site_admin: false,
  }
}

export function gitHubRepository(model: Model, repo: HostRepo) {
  const [owner = '', name = ''] = repo.fullName.split('/')
  const api = `${model.origin}/api/v3/repos/${repo.fullName}`
  return {
    id: repo.id,
    node_id: `R_${repo.id}`,
    name,
    full_name: repo.fullName,
    private: repo.isPrivate,
    owner: gitHubUser(model, owner, 1),
    html_url: `${model.origin}/${repo.fullName}`,
    description: null,
    fork: false,
    url: api,
    archive_url: `${api}/{archive_format}{/ref}`,
    branches_url: `${api}/branches{/branch}`,
    commits_url: `${api}/commits{/sha}`,
    compare_url: `${api}/compare/{base}...{head}`,
    hooks_url: `${api}/hooks`,
    statuses_url: `${api}/statuses/{sha}`,
    git_url: `git://localhost/${repo.fullName}.git`,
    ssh_url: `git@localhost:${repo.fullName}.git`,
    clone_url: `${model.origin}/${repo.fullName}.git`,
    svn_url: `${model.origin}/${repo.fullName}`,
    homepage: null,
    language: null,
    forks_count: 0,
    stargazers_count: 0,
    watchers_count: 0,
    size: 108,
    default_branch: repo.defaultBranch,
    open_issues_count: 0,
    is_template: false,
    topics: [],
    has_issues: true,
    has_projects: true,
    has_wiki: true,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    archived: false,
    disabled: false,
    visibility: repo.isPrivate ? 'private' : 'public',
    pushed_at: repo.updatedAt,
    created_at: repo.updatedAt,
    updated_at: repo.updatedAt,
    permissions: { admin: true, maintain: true, push: true, triage: true, pull: true },
    allow_forking: true,
    web_commit_signoff_required: false,
    forks: 0,
    open_issues: 0,
    license: null,
    watchers: 0,
  }
}

const NOT_FOR_APPS: Answered = { status: 403, body: { message: 'Resource not accessible by integration', status: '403' } }

/** The repositories of an installation come in an object, with how many there are. */
function installed(model: Model, asked: Asked): Answered {
  const all = visibleTo(model, asked.person).map((repo) => gitHubRepository(model, repo))
  const { body, ...rest } = page(model, asked, all, { name: 'per_page', most: 100 })
  return { ...rest, body: { total_count: all.length, repository_selection: 'selected', repositories: body } }
}

/** GitHub's REST API, as GitHub Enterprise serves it: below /api/v3. */
export async function gitHubApi(model: Model, asked: Asked): Promise<Answered> {
  const [, , area = '', owner = '', name = '', thing = '', which = ''] = asked.path
  if (area === 'user' && asked.person.isInstallation) return NOT_FOR_APPS
  if (area === 'installation' && asked.person.isInstallation) return installed(model, asked)
  if (area === 'user' && owner === '')
    return { status: 200, body: { ...gitHubUser(model, asked.person.login, asked.person.id), name: null } }
  if (area === 'user' && owner === 'repos') {
    const repos = visibleTo(model, asked.person).map((repo) => gitHubRepository(model, repo))
    return page(model, asked, repos, { name: 'per_page', most: 100 })
  }
  const isAsked = ({ id, fullName }: HostRepo) => (area === 'repositories' ? String(id) === owner : fullName === `${owner}/${name}`)
  const repo = visibleTo(model, asked.person).find(isAsked)
  if (!repo || (area !== 'repos' && area !== 'repositories')) return NOT_FOUND
  if (thing === '') return { status: 200, body: gitHubRepository(model, repo) }
  if (thing === 'branches') {
    const list = (await branchesOf(repo)).map((branch) => ({
      name: branch.name,
      commit: { sha: branch.commit, url: `${model.origin}/api/v3/repos/${repo.fullName}/commits/${branch.commit}` },
      protected: branch.name === repo.defaultBranch,
    }))
    return page(model, asked, list, { name: 'per_page', most: 100 })
  }
  if (thing === 'compare') {
    const [older = '', newer = ''] = which.split('...')
    const [isAhead, isBehind] = [await isAncestor(repo, older, newer), await isAncestor(repo, newer, older)]
    const status = isAhead && isBehind ? 'identical' : isAhead ? 'ahead' : isBehind ? 'behind' : 'diverged'
    return { status: 200, body: { status, ahead_by: 1, behind_by: 0, total_commits: 1, commits: [] } }
  }
  if (thing === 'hooks') {
    const config = (asked.body['config'] ?? {}) as Record<string, unknown> // what our own client sends
    return hookApi(model, asked, { repo, id: which, config, secret: config['secret'] })
  }
  if (thing === 'deployments') return deploymentApi(model, asked, repo)
  if (thing === 'statuses') return statusApi(model, asked, { repo, commit: which })
  return NOT_FOUND
}

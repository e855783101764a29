import { type Answered, type Asked, branchesOf, type HostRepo, hookApi, isAncestor, type Model, page, visibleTo } from './model.ts'
import { statusApi } from './status-api.ts'

export function gitLabProject(model: Model, repo: HostRepo) {
  const name = repo.fullName.split('/').at(-1) ?? ''
  const namespace = repo.fullName.slice(0, -name.length - 1)
  return {
    id: repo.id,
    description: null,
    name,
    name_with_namespace: repo.fullName.replaceAll('/', ' / '),
    path: name,
    path_with_namespace: repo.fullName,
    created_at: repo.updatedAt,
    default_branch: repo.defaultBranch,
    tag_list: [],
    topics: [],
    ssh_url_to_repo: `git@localhost:${repo.fullName}.git`,
    http_url_to_repo: `http://localhost/${repo.fullName}.git`, // as a host behind a proxy says it, which nobody may follow
    web_url: `${model.origin}/${repo.fullName}`,
    readme_url: null,
    forks_count: 0,
    avatar_url: null,
    star_count: 0,
    last_activity_at: repo.updatedAt,
    visibility: repo.isPrivate ? 'private' : 'public',
    namespace: { id: 3, name: namespace, path: namespace, kind: 'group', full_path: namespace, parent_id: null, avatar_url: null },
    container_registry_image_prefix: `registry.localhost/${repo.fullName}`,
    packages_enabled: true,
    empty_repo: false,
    archived: false,
    issues_enabled: true,
    merge_requests_enabled: true,
    wiki_enabled: true,
    jobs_enabled: true,
    snippets_enabled: true,
    creator_id: 1,
    permissions: { project_access: { access_level: 40, notification_level: 3 }, group_access: null },
  }
}

const MISSING: Answered = { status: 404, body: { message: '404 Project Not Found' } }

/** GitLab's REST API, below /api/v4. */
export async function gitLabApi(model: Model, asked: Asked): Promise<Answered> {
  const [, , area = '', project = '', thing = '', part = ''] = asked.path
  const { person } = asked
  if (area === 'user')
    return {
      status: 200,
      body: {
        id: person.id,
        username: person.login,
        name: person.login,
        state: 'active',
        locked: false,
        avatar_url: null,
        web_url: `${model.origin}/${person.login}`,
        created_at: '2012-05-23T08:00:58Z',
        bio: '',
        email: `${person.login}@example.test`,
        two_factor_enabled: true,
        external: false,
      },
    }
  if (area !== 'projects') return MISSING
  const visible = visibleTo(model, person)
  if (project === '') {
    const list = visible.map((repo) => gitLabProject(model, repo))
    return page(model, asked, list, { name: 'per_page', most: 100 })
  }
  const repo = visible.find(({ id, fullName }) => String(id) === project || fullName === project)
  if (!repo) return MISSING
  if (thing === '') return { status: 200, body: gitLabProject(model, repo) }
  if (thing === 'repository' && part === 'branches') {
    const list = (await branchesOf(repo)).map((branch) => ({
      name: branch.name,
      merged: false,
      protected: branch.name === repo.defaultBranch,
      default: branch.name === repo.defaultBranch,
      developers_can_push: false,
      developers_can_merge: false,
      can_push: true,
      web_url: `${model.origin}/${repo.fullName}/-/tree/${branch.name}`,
      commit: { id: branch.commit, short_id: branch.commit.slice(0, 8), title: 'A change', created_at: repo.updatedAt, parent_ids: [] },
    }))
    return page(model, asked, list, { name: 'per_page', most: 100 })
  }
  if (thing === 'repository' && part === 'merge_base') {
    const [older = '', newer = ''] = asked.query.getAll('refs[]')
    return (await isAncestor(repo, older, newer))
      ? { status: 200, body: { id: older, short_id: older.slice(0, 8) } }
      : { status: 200, body: { id: 'f'.repeat(40) } }
  }
  if (thing === 'hooks') return hookApi(model, asked, { repo, id: part, config: asked.body, secret: asked.body['token'] })
  if (thing === 'statuses') return statusApi(model, asked, { repo, commit: part })
  return MISSING
}

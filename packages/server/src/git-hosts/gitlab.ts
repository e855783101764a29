import Type from 'typebox'
import { addHookAt, allPages, answerOf, FullName, HostName, HostText, OptionalText, removeHookAt, timeIn } from './answers.ts'
import { gitLabStatus } from './commit-status.ts'
import type { GitHost, HostRepository } from './host.ts'
import type { AskHost } from './host-client.ts'

const Project = Type.Object({
  id: Type.Integer(),
  path_with_namespace: FullName,
  visibility: Type.Optional(HostText),
  default_branch: OptionalText,
  last_activity_at: OptionalText,
})
const readUser = answerOf(Type.Object({ id: Type.Integer(), username: HostName }))
const readProject = answerOf(Project)
const readProjects = answerOf(Type.Array(Project))
const readBranches = answerOf(
  Type.Array(Type.Object({ name: HostText, commit: Type.Object({ id: HostText }), protected: Type.Optional(Type.Boolean()) })),
)
const readBase = answerOf(Type.Object({ id: HostText }))
const PER_PAGE = 100

export function gitLabHeaders(token: string): Record<string, string> {
  return { 'private-token': token }
}

/** GitLab, with an access token of a person, a group or a project. */
export function createGitLab(ask: AskHost): GitHost {
  function present(found: ReturnType<typeof readProject>): HostRepository {
    return {
      id: found.id,
      fullName: found.path_with_namespace,
      isPrivate: found.visibility !== 'public',
      defaultBranch: found.default_branch ?? '',
      updatedAt: timeIn(found.last_activity_at),
    }
  }

  return {
    async whoAmI() {
      const { id, username } = readUser((await ask({ path: '/user' })).body)
      return { id, login: username }
    },
    async repositories(search) {
      const query = { membership: 'true', order_by: 'last_activity_at', per_page: PER_PAGE }
      const found = await allPages(ask, { path: '/projects', query }, { perPage: PER_PAGE, items: readProjects })
      return found.map(present).filter(({ fullName }) => fullName.toLowerCase().includes(search.toLowerCase()))
    },
    async repository(fullName) {
      return present(readProject((await ask({ path: `/projects/${encodeURIComponent(fullName)}` })).body))
    },
    async branches(fullName) {
      const list = { path: `/projects/${encodeURIComponent(fullName)}/repository/branches`, query: { per_page: PER_PAGE } }
      const found = await allPages(ask, list, { perPage: PER_PAGE, items: readBranches })
      return found.map(({ name, commit, protected: isProtected = false }) => ({ name, commit: commit.id, isProtected }))
    },
    async isAncestor(fullName, older, newer) {
      const path = `/projects/${encodeURIComponent(fullName)}/repository/merge_base`
      const refs = `?refs[]=${encodeURIComponent(older)}&refs[]=${encodeURIComponent(newer)}`
      return readBase((await ask({ path: path + refs })).body).id === older
    },
    async addHook(fullName, { url, secret }) {
      const hook = { url, token: secret, push_events: true, enable_ssl_verification: true }
      return await addHookAt(ask, `/projects/${encodeURIComponent(fullName)}/hooks`, { url, body: hook, perPage: { per_page: PER_PAGE } })
    },
    async removeHook(fullName, hookId) {
      await removeHookAt(ask, `/projects/${encodeURIComponent(fullName)}/hooks/${hookId}`)
    },
    setCommitStatus: gitLabStatus(ask),
  }
}

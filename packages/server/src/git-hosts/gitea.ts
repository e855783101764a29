import Type from 'typebox'
import { addHookAt, allPages, answerOf, FullName, HostName, HostText, inPath, OptionalText, removeHookAt, timeIn } from './answers.ts'
import { gitHubStatus } from './commit-status.ts'
import type { GitHost, HostRepository } from './host.ts'
import type { AskHost } from './host-client.ts'

const Repository = Type.Object({
  id: Type.Integer(),
  full_name: FullName,
  private: Type.Boolean(),
  default_branch: OptionalText,
  updated_at: OptionalText,
})
const readUser = answerOf(Type.Object({ id: Type.Integer(), login: HostName }))
const readRepository = answerOf(Repository)
const readRepositories = answerOf(Type.Array(Repository))
const readBranches = answerOf(
  Type.Array(Type.Object({ name: HostText, commit: Type.Object({ id: HostText }), protected: Type.Optional(Type.Boolean()) })),
)
const readCompared = answerOf(Type.Object({ total_commits: Type.Integer() }))
const PER_PAGE = 50 // the maximum, unless its admin has changed it

export function giteaHeaders(token: string): Record<string, string> {
  return { authorization: `token ${token}` }
}

/** Gitea and Forgejo, with an access token. */
export function createGitea(ask: AskHost): GitHost {
  function present(found: ReturnType<typeof readRepository>): HostRepository {
    return {
      id: found.id,
      fullName: found.full_name,
      isPrivate: found.private,
      defaultBranch: found.default_branch ?? '',
      updatedAt: timeIn(found.updated_at),
    }
  }

  return {
    async whoAmI() {
      const { id, login } = readUser((await ask({ path: '/user' })).body)
      return { id, login }
    },
    async repositories(search) {
      const found = await allPages(ask, { path: '/user/repos', query: { limit: PER_PAGE } }, { perPage: PER_PAGE, items: readRepositories })
      return found.map(present).filter(({ fullName }) => fullName.toLowerCase().includes(search.toLowerCase()))
    },
    async repository(fullName) {
      return present(readRepository((await ask({ path: `/repos/${inPath(fullName)}` })).body))
    },
    async branches(fullName) {
      const list = { path: `/repos/${inPath(fullName)}/branches`, query: { limit: PER_PAGE } }
      const found = await allPages(ask, list, { perPage: PER_PAGE, items: readBranches })
      return found.map(({ name, commit, protected: isProtected = false }) => ({ name, commit: commit.id, isProtected }))
    },
    async isAncestor(fullName, older, newer) {
      const range = `${encodeURIComponent(newer)}...${encodeURIComponent(older)}` // fields that only older versions have
      return readCompared((await ask({ path: `/repos/${inPath(fullName)}/compare/${range}` })).body).total_commits === 0
    },
    async addHook(fullName, { url, secret }) {
      const config = { url, secret, content_type: 'json' }
      const body = { type: 'gitea', active: true, events: ['push'], branch_filter: '*', config }
      return await addHookAt(ask, `/repos/${inPath(fullName)}/hooks`, { url, body, perPage: { limit: PER_PAGE } })
    },
    async removeHook(fullName, hookId) {
      await removeHookAt(ask, `/repos/${inPath(fullName)}/hooks/${hookId}`)
    },
    setCommitStatus: gitHubStatus(ask), // the same call, with the same words
  }
}

import Type from 'typebox'
import { addHookAt, allPages, answerOf, FullName, HostName, HostText, inPath, OptionalText, removeHookAt, timeIn } from './answers.ts'
import { gitHubStatus } from './commit-status.ts'
import { gitHubDeployments } from './deployments.ts'
import type { GitHost, HostRepository } from './host.ts'
import type { AskHost } from './host-client.ts'

const Repository = Type.Object({
  id: Type.Integer(),
  full_name: FullName,
  private: Type.Boolean(),
  default_branch: OptionalText,
  pushed_at: OptionalText,
  updated_at: OptionalText,
})
const readUser = answerOf(Type.Object({ id: Type.Integer(), login: HostName }))
const readRepository = answerOf(Repository)
const readRepositories = answerOf(Type.Array(Repository))
const readInstalledOn = answerOf(Type.Object({ repositories: Type.Array(Repository) }))
const readBranches = answerOf(
  Type.Array(Type.Object({ name: HostText, commit: Type.Object({ sha: HostText }), protected: Type.Optional(Type.Boolean()) })),
)
const readCompared = answerOf(Type.Object({ status: HostText }))
const PER_PAGE = 100

export function gitHubHeaders(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
}

function present(found: ReturnType<typeof readRepository>): HostRepository {
  return {
    id: found.id,
    fullName: found.full_name,
    isPrivate: found.private,
    defaultBranch: found.default_branch ?? '',
    updatedAt: timeIn(found.pushed_at ?? found.updated_at),
  }
}

/** With an installation's token, which belongs to no person: it can access the repositories chosen for the installation. */
export function createGitHubInstallation(ask: AskHost): GitHost {
  return {
    ...createGitHub(ask),
    async whoAmI() {
      throw new Error('an installation is nobody; its app knows who installed it')
    },
    async repositories(search) {
      const list = { path: '/installation/repositories', query: { per_page: PER_PAGE } }
      const found = await allPages(ask, list, { perPage: PER_PAGE, items: (body) => readInstalledOn(body).repositories })
      return found.map(present).filter(({ fullName }) => fullName.toLowerCase().includes(search.toLowerCase()))
    },
  }
}

/** GitHub, and GitHub Enterprise, with a personal access token. */
export function createGitHub(ask: AskHost): GitHost {
  return {
    async whoAmI() {
      const { id, login } = readUser((await ask({ path: '/user' })).body)
      return { id, login }
    },
    async repositories(search) {
      const list = { path: '/user/repos', query: { per_page: PER_PAGE, sort: 'pushed' } }
      const found = await allPages(ask, list, { perPage: PER_PAGE, items: readRepositories })
      return found.map(present).filter(({ fullName }) => fullName.toLowerCase().includes(search.toLowerCase()))
    },
    async repository(fullName) {
      return present(readRepository((await ask({ path: `/repos/${inPath(fullName)}` })).body))
    },
    async branches(fullName) {
      const list = { path: `/repos/${inPath(fullName)}/branches`, query: { per_page: PER_PAGE } }
      const found = await allPages(ask, list, { perPage: PER_PAGE, items: readBranches })
      return found.map(({ name, commit, protected: isProtected = false }) => ({ name, commit: commit.sha, isProtected }))
    },
    async isAncestor(fullName, older, newer) {
      const range = `${encodeURIComponent(older)}...${encodeURIComponent(newer)}`
      const query = { per_page: 1, page: 2 } // the first page lists every changed file
      const { status } = readCompared((await ask({ path: `/repos/${inPath(fullName)}/compare/${range}`, query })).body)
      return status === 'ahead' || status === 'identical'
    },
    async addHook(fullName, { url, secret }) {
      const config = { url, secret, content_type: 'json', insecure_ssl: '0' }
      const body = { name: 'web', active: true, events: ['push'], config }
      return await addHookAt(ask, `/repos/${inPath(fullName)}/hooks`, { url, body, perPage: { per_page: PER_PAGE } })
    },
    async removeHook(fullName, hookId) {
      await removeHookAt(ask, `/repos/${inPath(fullName)}/hooks/${hookId}`)
    },
    setCommitStatus: gitHubStatus(ask),
    deployments: gitHubDeployments(ask),
  }
}

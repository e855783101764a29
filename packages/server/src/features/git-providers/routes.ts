import type { Handlers } from '../../http/implement.ts'
import type { GitAccounts } from './accounts.ts'
import type { GitHubConnect } from './github/github-apps.ts'
import type { Repositories } from './repositories.ts'

export function gitHandlers(parts: { gitAccounts: GitAccounts; repositories: Repositories; gitHubConnect: GitHubConnect }) {
  const { gitAccounts, repositories, gitHubConnect } = parts
  return {
    'git.accounts': async ({ caller }) => await gitAccounts.list(caller),
    'git.createAccount': async ({ caller, input, again }) => await gitAccounts.create(caller, input, again),
    'git.checkAccount': async ({ caller, account }) => await gitAccounts.check(caller, account),
    'git.deleteAccount': async ({ account, input, again }) => await gitAccounts.remove(account, { force: input.force ?? false }, again),
    'git.repos': async ({ caller, account, input }) => await repositories.repositories(caller, account, input.search ?? ''),
    'git.branches': async ({ caller, account, input }) =>
      await repositories.branches(caller, account, { fullName: input.repoFullName, search: input.search ?? '' }),
    'git.githubManifest': async ({ caller, input, site }) => await gitHubConnect.manifest(caller, input, site),
    'git.githubCreated': async ({ caller, input, site, again }) => await gitHubConnect.created(caller, input, { site, again }),
    'git.githubInstalled': async ({ caller, input, again }) => await gitHubConnect.installed(caller, input, again),
    'git.connectGitHubApp': async ({ caller, input, site, again }) => await gitHubConnect.connect(caller, input, { site, again }),
  } satisfies Partial<Handlers>
}

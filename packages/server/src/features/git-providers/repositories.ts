import type { Branch, Repository } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import type { GitAccountRow } from '../../domain/rows.ts'
import { cloneUrlOf } from '../../git-hosts/base-url.ts'
import { asAppError, type HostAccess, type InTurn } from './host-access.ts'

type Deps = { access: HostAccess; inTurn: InTurn }

/** The repositories and branches that an account can see on its host. */
export function createRepositories({ access, inTurn }: Deps) {
  async function asked<Result>(caller: Caller, work: () => Promise<Result>): Promise<Result> {
    try {
      return await inTurn(caller, work)
    } catch (cause) {
      throw asAppError(cause)
    }
  }

  async function repositories(caller: Caller, account: GitAccountRow, search: string): Promise<Repository[]> {
    const found = await asked(caller, async () => await access.use(account, async (host) => await host.repositories(search)))
    return found.map(({ id, fullName, isPrivate, defaultBranch, updatedAt }) => ({
      id,
      fullName,
      private: isPrivate,
      defaultBranch,
      cloneUrl: cloneUrlOf(account.base_url, fullName),
      updatedAt,
    }))
  }

  async function branches(caller: Caller, account: GitAccountRow, wanted: { fullName: string; search: string }): Promise<Branch[]> {
    const found = await asked(caller, async () => await access.use(account, async (host) => await host.branches(wanted.fullName)))
    return found
      .filter(({ name }) => name.toLowerCase().includes(wanted.search.toLowerCase()))
      .map(({ name, commit, isProtected }) => ({ name, commit, protected: isProtected }))
  }

  return { repositories, branches }
}

export type Repositories = ReturnType<typeof createRepositories>

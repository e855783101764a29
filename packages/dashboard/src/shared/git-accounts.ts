import type { GitAccount } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { gitAccounts } from '../features/git/queries.ts'
import { project } from '../features/projects/queries.ts'
import { useMe } from '../features/session/queries.ts'
import { hostOf, PROVIDER_WORDS } from '../lib/git-words.ts'

/** The accounts that the user may choose for an app of a project: their own, and those of the project. */
export function useAccountsFor(projectId: number) {
  const person = useMe()
  const { data: home } = useQuery(project(projectId))
  const isMember = home?.members.some(({ id }) => id === person.id) ?? false
  const query = useQuery(gitAccounts)
  const accounts = query.data?.filter((each) =>
    each.projectId === null ? each.ownerId === person.id : each.projectId === projectId && isMember,
  )
  return { ...query, data: home && accounts }
}

/** "robot on GitHub", or with the host name for other hosts. */
export function accountWords({ name, provider, baseUrl }: Pick<GitAccount, 'name' | 'provider' | 'baseUrl'>): string {
  const { label, home } = PROVIDER_WORDS[provider]
  return `${name} on ${baseUrl === home ? label : hostOf(baseUrl)}`
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { ACCOUNT_LOOK } from '../../lib/git-words.ts'
import { useIdParam } from '../../lib/route-state.ts'
import { paths } from '../../paths.ts'
import { accountWords } from '../../shared/git-accounts.ts'
import { projects } from '../projects/queries.ts'
import { useMe } from '../session/queries.ts'
import { AccountsCard } from './accounts-card.tsx'
import { gitAccounts } from './queries.ts'

/** The accounts of the user, and those of their projects. */
export function AccountGitPage() {
  const person = useMe()
  return (
    <div className="grid max-w-3xl gap-4">
      <AccountsCard
        owner="me"
        note="Only you can use them, in every project you belong to."
        belongs={({ projectId, ownerId }) => projectId === null && ownerId === person.id}
      />
      <ProjectAccounts />
    </div>
  )
}

function ProjectAccounts() {
  const { data: list = [] } = useQuery(gitAccounts)
  const { data: projectList = [] } = useQuery(projects)
  const names = new Map(projectList.map(({ id, name }) => [id, name]))
  const shared = list.flatMap((account) => (account.projectId === null ? [] : [{ account, projectId: account.projectId }]))
  if (shared.length === 0) return null
  return (
    <Card title="Shared in projects" note="Every member of the project can use them." flush>
      <ul className="divide-y divide-line">
        {shared.map(({ account, projectId }) => (
          <li key={account.id} className="flex items-center justify-between gap-3 px-4 py-2.5 text-sm">
            <div className="min-w-0">
              <p className="truncate font-medium">{accountWords(account)}</p>
              <Link to={paths.projectGit(projectId)} className="block truncate text-[13px] text-accent underline">
                {names.get(projectId) ?? 'Project'}
              </Link>
            </div>
            <Badge look={ACCOUNT_LOOK[account.status]} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

export function ProjectGitPage() {
  const own = useIdParam('projectId')
  return (
    <div className="grid max-w-3xl gap-4">
      <AccountsCard
        owner={{ projectId: own }}
        note="Every member of the project can use them for its apps."
        belongs={({ projectId }) => projectId === own}
      />
    </div>
  )
}

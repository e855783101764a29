import type { GitAccount } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { EmptyState } from '../../components/states.tsx'
import { ACCOUNT_LOOK, PROVIDER_WORDS } from '../../lib/git-words.ts'
import { useIdParam } from '../../lib/route-state.ts'
import { paths } from '../../paths.ts'
import { AccountActions } from './account-actions.tsx'
import { UsedBy } from './accounts-card.tsx'
import { DeliveriesCard } from './deliveries-card.tsx'
import { gitAccounts } from './queries.ts'
import { useAccountRights } from './rights.ts'

/** One account, and what its host has delivered. */
export function GitAccountPage() {
  const id = useIdParam('accountId')
  return (
    <QueryView query={useQuery(gitAccounts)}>
      {(list) => {
        const account = list.find((each) => each.id === id)
        return account ? <Account account={account} /> : <NoSuchAccount />
      }}
    </QueryView>
  )
}

function NoSuchAccount() {
  return (
    <EmptyState icon="git" title="Git account not found" action={<ButtonLink to={paths.accountGit()}>Your Git accounts</ButtonLink>}>
      It was removed, or belongs to someone else.
    </EmptyState>
  )
}

function Account({ account }: { account: GitAccount }) {
  const { mayUse, connectedBy } = useAccountRights(account)
  const { provider, name, baseUrl, status, error, warning, createdAt, projectId, id } = account
  const list = projectId === null ? paths.accountGit() : paths.projectGit(projectId)
  return (
    <div className="grid max-w-3xl gap-4">
      <Card
        title={
          <span className="flex flex-wrap items-center gap-2">
            {name} <Badge look={ACCOUNT_LOOK[status]} />
          </span>
        }
        note={
          <Link to={list} className="text-accent underline">
            All Git accounts
          </Link>
        }
        actions={<AccountActions account={account} />}
      >
        <div className="grid gap-3">
          {error !== '' && <Notice tone="bad">{error}</Notice>}
          {warning !== '' && <Notice tone="warn">{warning}</Notice>}
          <Facts>
            <Fact name="Host">
              {PROVIDER_WORDS[provider].label},{' '}
              <a href={baseUrl} target="_blank" rel="noreferrer" className="text-accent underline">
                {baseUrl}
              </a>
            </Fact>
            <Fact name="Connected">
              <RelativeTime at={createdAt} />
              {connectedBy !== undefined && ` by ${connectedBy}`}
            </Fact>
            <Fact name="Apps">
              <UsedBy account={account} />
            </Fact>
          </Facts>
        </div>
      </Card>
      {mayUse && (
        <DeliveriesCard
          of={{ accountId: id }}
          empty={
            <EmptyState icon="webhook" title="No deliveries yet">
              {account.apps === 0
                ? 'Choose a repository of this account for an app. Berth then registers a webhook there, and every push is listed here.'
                : 'Push to a branch that an app deploys from. Deliveries are listed here for 30 days.'}
            </EmptyState>
          }
        />
      )}
    </div>
  )
}

import type { GitAccount } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Mark } from '../../components/mark.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { ACCOUNT_LOOK, hostOf, PROVIDER_WORDS } from '../../lib/git-words.ts'
import { plural } from '../../lib/sizes.ts'
import { paths } from '../../paths.ts'
import { ConnectAccount } from '../../shared/connect-account.tsx'
import { apps } from '../apps/queries.ts'
import { AccountActions } from './account-actions.tsx'
import { GitHubOutcomeNotice } from './github-outcome.tsx'
import { gitAccounts } from './queries.ts'

type Props = {
  note: string
  /** Which of the visible accounts to show here. */
  belongs: (account: GitAccount) => boolean
  owner: 'me' | { projectId: number }
  mayConnect?: boolean
}

/** The accounts of a person or of a project. */
export function AccountsCard({ note, belongs, owner, mayConnect = true }: Props) {
  const query = useQuery(gitAccounts)
  const [connecting, setConnecting] = useState(false)
  const list = query.data?.filter(belongs)
  const connect = (
    <Button kind="primary" icon="plus" onClick={() => setConnecting(true)}>
      Connect
    </Button>
  )
  return (
    <>
      <GitHubOutcomeNotice />
      <Card title="Git accounts" note={note} flush actions={mayConnect && list !== undefined && list.length > 0 && connect}>
        <QueryView query={{ ...query, data: list }} empty={<NoAccounts action={mayConnect && connect} />}>
          {(found) => (
            <ul className="divide-y divide-line">
              {found.map((account) => (
                <AccountRow key={account.id} account={account} />
              ))}
            </ul>
          )}
        </QueryView>
      </Card>
      {connecting && <ConnectAccount owner={owner} mayLeave onClose={() => setConnecting(false)} />}
    </>
  )
}

function NoAccounts({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon="git" title="No Git account yet" action={action}>
      Connect GitHub, GitLab, Gitea or Forgejo to deploy private repositories, and to deploy on every push.
    </EmptyState>
  )
}

function AccountRow({ account }: { account: GitAccount }) {
  const { provider, name, baseUrl, status, error, warning, via } = account
  const { letters, hue, label } = PROVIDER_WORDS[provider]
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 text-sm">
      <Mark letters={letters} hue={hue} />
      <div className="grid min-w-0 flex-1 basis-52 gap-0.5">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
          <Link to={paths.gitAccount(account)} className="min-w-0 truncate font-semibold text-accent hover:underline" title={name}>
            {name}
          </Link>
          <Badge look={ACCOUNT_LOOK[status]} />
        </div>
        <p className="[overflow-wrap:anywhere] text-ink-soft">
          {via === 'app' ? `${label} App` : label} · {hostOf(baseUrl)}
        </p>
        {error !== '' && <p className="[overflow-wrap:anywhere] text-bad">{error}</p>}
        {warning !== '' && <p className="[overflow-wrap:anywhere] text-warn">{warning}</p>}
        <UsedBy account={account} />
      </div>
      <div className="flex flex-wrap gap-2 empty:hidden max-sm:w-full max-sm:pl-12">
        <AccountActions account={account} />
      </div>
    </li>
  )
}

const SHOWN = 5

/** The apps that use an account, each a link to it. */
export function UsedBy({ account }: { account: GitAccount }) {
  const { data: list } = useQuery(apps)
  if (account.apps === 0) return <p className="text-ink-soft">Not used by any app</p>
  const users = (list ?? []).filter(({ git_provider_id }) => git_provider_id === account.id).slice(0, SHOWN)
  const more = account.apps - users.length
  return (
    <p className="[overflow-wrap:anywhere] text-ink-soft">
      Used by{' '}
      {users.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <Link to={paths.app(id)} className="text-accent underline">
            {name}
          </Link>
        </span>
      ))}
      {more > 0 && (users.length === 0 ? plural(more, 'app') : ` and ${more} more`)}
    </p>
  )
}

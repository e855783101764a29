import type { GitAccount } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { ComboField } from '../components/combo-field.tsx'
import { SelectField } from '../components/field.tsx'
import { Notice } from '../components/notice.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { repositories } from '../features/git/queries.ts'
import { useSettled } from '../lib/use-settled.ts'
import { accountWords } from './git-accounts.ts'
import type { SourceCheckState } from './source-check.ts'
import { CheckWords } from './source-check-words.tsx'
import type { ChosenSource } from './source-values.ts'

type Props = {
  accounts: readonly GitAccount[]
  value: ChosenSource
  onChange: (change: Partial<ChosenSource>) => void
  problems: Record<string, string>
  check: SourceCheckState
  disabled: boolean
  onConnect: () => void
}

/** Account, repository and branch, each chosen from a list that depends on the one before. */
export function RepositoryFields({ accounts, value, onChange, problems, check, disabled, onConnect }: Props) {
  const accountId = value.gitProviderId ?? accounts[0]?.id ?? 0
  const account = accounts.find(({ id }) => id === accountId)
  const known = accounts.map((each) => ({ value: String(each.id), label: accountWords(each) }))
  const options = account ? known : [{ value: String(accountId), label: "Someone else's account" }, ...known]
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <SelectField
          label="Git account"
          value={String(accountId)}
          options={options}
          disabled={disabled}
          problem={problems['gitProviderId']}
          onPick={(id) => onChange({ via: 'account', gitProviderId: Number(id), gitRepository: '', repositoryUrl: '', gitBranch: '' })}
          hint={
            !disabled && (
              <button type="button" onClick={onConnect} className="text-accent underline">
                Connect another account
              </button>
            )
          }
        />
        <RepositoryField
          accountId={accountId}
          value={value.gitRepository}
          problem={problems['gitRepository'] ?? problems['gitCloneUrl']}
          check={check}
          disabled={disabled || account === undefined}
          onPick={({ fullName, cloneUrl }) =>
            onChange({ via: 'account', gitProviderId: accountId, gitRepository: fullName, repositoryUrl: cloneUrl, gitBranch: '' })
          }
        />
      </div>
      {account && account.status !== 'ok' && <Notice tone="bad">{account.error}</Notice>}
      <BranchField
        value={value.gitBranch}
        problem={problems['gitBranch']}
        check={check}
        disabled={disabled || value.gitRepository === ''}
        onPick={(gitBranch) => onChange({ gitBranch })}
      />
    </>
  )
}

type RepositoryProps = {
  accountId: number
  value: string
  problem: string | undefined
  check: SourceCheckState
  disabled: boolean
  onPick: (repository: { fullName: string; cloneUrl: string }) => void
}

function RepositoryField({ accountId, value, problem, check, disabled, onPick }: RepositoryProps) {
  const [text, setText] = useState('')
  const [wasOpened, setOpened] = useState(false)
  const search = useSettled(text.trim())
  const query = useQuery({ ...repositories(accountId, search), enabled: !disabled && (wasOpened || value === '') })
  const list = query.data ?? []
  const busy = !disabled && (query.isFetching || search !== text.trim())
  return (
    <ComboField
      label="Repository"
      value={value}
      placeholder="Search repositories"
      options={list.map((each) => ({
        value: each.fullName,
        ...(each.private && { icon: { name: 'lock', label: 'private' } as const }),
        note: <RelativeTime at={each.updatedAt} />,
      }))}
      text={text}
      onText={setText}
      onOpen={() => setOpened(true)}
      onPick={(fullName) => {
        const picked = list.find((each) => each.fullName === fullName)
        if (picked) onPick(picked)
      }}
      busy={busy}
      nothing={
        query.error ? (
          <span className="text-bad">{query.error.message}</span>
        ) : busy ? (
          'Loading…'
        ) : search === '' ? (
          'This account can see no repositories. Give its token access to some.'
        ) : (
          `No repository matches "${search}".`
        )
      }
      problem={problem}
      hint={
        query.error ? (
          <span className="flex flex-wrap items-center gap-x-2 text-bad">
            {query.error.message}
            <Button kind="quiet" onClick={() => void query.refetch()}>
              Try again
            </Button>
          </span>
        ) : value === '' ? (
          'Private repositories have a lock.'
        ) : (
          <CheckWords check={check} />
        )
      }
      disabled={disabled}
    />
  )
}

type BranchProps = {
  value: string
  problem: string | undefined
  check: SourceCheckState
  disabled: boolean
  onPick: (branch: string) => void
}

function BranchField({ value, problem, check: { result, checking }, disabled, onPick }: BranchProps) {
  const [text, setText] = useState('')
  const branches = result?.branches ?? []
  const isGone = value !== '' && branches.length > 0 && !branches.includes(value)
  return (
    <ComboField
      label="Branch"
      value={value === '' ? (result?.defaultBranch ?? '') : value}
      placeholder="Default branch"
      options={branches
        .filter((name) => name.toLowerCase().includes(text.trim().toLowerCase()))
        .map((name) => ({ value: name, ...(name === result?.defaultBranch && { note: 'default' }) }))}
      text={text}
      onText={setText}
      onPick={onPick}
      busy={checking}
      nothing={checking ? 'Loading…' : 'No such branch'}
      problem={problem ?? (isGone ? 'The repository has no such branch.' : undefined)}
      hint="A push to this branch deploys the app."
      disabled={disabled}
    />
  )
}

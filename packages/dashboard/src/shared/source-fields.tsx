import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/field.tsx'
import { Segmented } from '../components/segmented.tsx'
import { ErrorState, Skeleton } from '../components/states.tsx'
import { project } from '../features/projects/queries.ts'
import { ConnectAccount } from './connect-account.tsx'
import { useAccountsFor } from './git-accounts.ts'
import { ImageFields } from './image-fields.tsx'
import { RepositoryFields } from './repository-fields.tsx'
import { type SourceCheckState, useSourceCheck } from './source-check.ts'
import { CheckWords } from './source-check-words.tsx'
import { type ChosenSource, cloneOf } from './source-values.ts'

type Props = {
  projectId: number
  value: ChosenSource
  onChange: (change: Partial<ChosenSource>) => void
  problems: Record<string, string>
  /** Skips the check for people who cannot change the source. */
  disabled?: boolean
  /** Keeps what was typed while the browser goes to GitHub and back. Without it, nothing here leads away from the page. */
  onLeave?: () => void
  /** Whether it may run a ready image instead of code. */
  mayBeImage?: boolean
  /** Where the source may be a text instead: the way that leads there. */
  pasted?: Pasted
}
type Pasted = { label: string; isPicked: boolean; onPick: (isPicked: boolean) => void; fields: ReactNode }

const WAYS = [
  { value: 'account', label: 'Git account' },
  { value: 'url', label: 'Clone URL' },
] as const
const IMAGE = { value: 'image', label: 'Image' } as const

/** The source of an app: a repository of a connected account, any clone URL, a ready image or a text. It is checked while it is chosen. */
export function SourceFields({ pasted, ...props }: Props) {
  const { value, onChange, disabled = false, mayBeImage = false } = props
  const accounts = useAccountsFor(props.projectId)
  const isUnfit = value.via === 'image' && !mayBeImage // another type of app was chosen since
  const via = value.via === '' || isUnfit ? (accounts.data?.length ? 'account' : 'url') : value.via
  const isPasted = pasted?.isPicked === true
  if (!isPasted && (value.via === '' || isUnfit || via === 'account') && accounts.data === undefined && !accounts.error)
    return <Skeleton bare rows={4} height="h-9" />
  const ways = [...WAYS, ...(mayBeImage ? [IMAGE] : []), ...(pasted ? [{ value: 'text', label: pasted.label } as const] : [])]
  return (
    <>
      {!disabled && (
        <div>
          <Segmented
            label="Source"
            value={isPasted ? 'text' : via}
            options={ways}
            onPick={(picked) => {
              pasted?.onPick(picked === 'text')
              if (picked !== 'text') onChange({ via: picked })
            }}
          />
        </div>
      )}
      {isPasted ? pasted.fields : <FieldsOfWay {...props} via={via} />}
    </>
  )
}

function FieldsOfWay({ projectId, value, onChange, problems, disabled = false, via, onLeave }: Props & { via: ChosenSource['via'] }) {
  const accounts = useAccountsFor(projectId)
  const { data: home } = useQuery(project(projectId))
  const [connecting, setConnecting] = useState<'token' | 'app'>()
  const { url, accountId } = cloneOf({ ...value, via })
  const check = useSourceCheck({ projectId, url, accountId }, !disabled)
  const onConnect = (): void => setConnecting('token')
  const fields = { value, onChange, problems, check, disabled, onConnect }
  return (
    <>
      {via === 'image' ? (
        <ImageFields
          projectId={projectId}
          image={value.image}
          onImage={(image) => onChange({ via: 'image', image })}
          problem={problems['image']}
          disabled={disabled}
        />
      ) : via === 'url' ? (
        <CloneUrlFields {...fields} hasAccounts={(accounts.data ?? []).length > 0} />
      ) : accounts.data === undefined ? (
        accounts.error && <ErrorState error={accounts.error} onRetry={() => void accounts.refetch()} />
      ) : accounts.data.length === 0 && value.gitProviderId === null ? (
        <ConnectFirst onConnect={onConnect} onConnectApp={onLeave && (() => setConnecting('app'))} />
      ) : (
        <RepositoryFields {...fields} accounts={accounts.data} />
      )}
      {connecting && (
        <ConnectAccount
          owner={{ projectId, orMe: true, projectName: home?.name ?? 'this project' }}
          onDone={({ id }) => onChange({ via: 'account', gitProviderId: id, gitRepository: '', repositoryUrl: '', gitBranch: '' })}
          mayLeave={onLeave !== undefined}
          firstWay={connecting}
          onLeave={onLeave}
          onClose={() => setConnecting(undefined)}
        />
      )}
    </>
  )
}

function ConnectFirst({ onConnect, onConnectApp }: { onConnect: () => void; onConnectApp: (() => void) | undefined }) {
  return (
    <div className="grid justify-items-start gap-3 rounded-md border border-dashed border-line-strong/60 p-4 text-sm text-ink-soft">
      <p>Connect GitHub, GitLab, Gitea or Forgejo to choose from your repositories, private ones included, and to deploy on every push.</p>
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" icon="git" onClick={onConnect}>
          Connect a Git account
        </Button>
        {onConnectApp && <Button onClick={onConnectApp}>Connect a GitHub App</Button>}
      </div>
    </div>
  )
}

type CloneUrlProps = Omit<Props, 'projectId'> & { check: SourceCheckState; hasAccounts: boolean; onConnect: () => void }

function CloneUrlFields({ value, onChange, problems, check, hasAccounts, disabled = false, onConnect }: CloneUrlProps) {
  const branches = check.result?.branches ?? []
  const listId = useId()
  const isUnreachable = check.result?.reachable === false
  const unknown = value.gitBranch !== '' && branches.length > 0 && !branches.includes(value.gitBranch)
  return (
    <>
      <TextField
        label="Clone URL"
        mono
        placeholder="https://github.com/owner/repository.git"
        autoComplete="off"
        spellCheck={false}
        value={value.gitCloneUrl}
        onText={(gitCloneUrl) => onChange({ via: 'url', gitCloneUrl })}
        problem={problems['gitCloneUrl']}
        hint={<CheckWords check={check} otherwise="https, http, ssh or git@host:path" />}
      />
      {isUnreachable && hasAccounts && !disabled && (
        <p className="-mt-2 text-[13px] text-ink-soft">
          A private repository? <TextButton onClick={() => onChange({ via: 'account' })}>Choose it from a Git account</TextButton>, or{' '}
          <TextButton onClick={onConnect}>connect another</TextButton>.
        </p>
      )}
      <TextField
        label="Branch"
        mono
        list={listId}
        placeholder={check.result?.defaultBranch || 'Default branch'}
        value={value.gitBranch}
        onText={(gitBranch) => onChange({ gitBranch })}
        problem={problems['gitBranch'] ?? (unknown ? 'The repository has no such branch.' : undefined)}
        hint="Leave empty for the default branch."
      />
      <datalist id={listId}>
        {branches.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {!hasAccounts && !disabled && (
        <p className="text-[13px] text-ink-soft">
          For private repositories, and to deploy on every push, <TextButton onClick={onConnect}>connect a Git account</TextButton>.
        </p>
      )}
    </>
  )
}

function TextButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button type="button" onClick={onClick} className="text-accent underline">
      {children}
    </button>
  )
}

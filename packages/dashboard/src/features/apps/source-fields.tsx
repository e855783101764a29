import { useId } from 'react'
import { TextField } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { plural } from '../../lib/sizes.ts'
import { useSourceCheck } from './source-check.ts'

type Props = {
  projectId: number
  url: string
  branch: string
  onUrl: (url: string) => void
  onBranch: (branch: string) => void
  problems: Record<string, string>
  /** Somebody who may not change the source needs no word on whether it answers. */
  disabled?: boolean
}

/** A clone URL, checked while it is typed, and the branch to follow. */
export function SourceFields({ projectId, url, branch, onUrl, onBranch, problems, disabled = false }: Props) {
  const check = useSourceCheck(projectId, url, !disabled)
  const branches = check.result?.branches ?? []
  const listId = useId()
  const unknown = branch !== '' && branches.length > 0 && !branches.includes(branch)
  return (
    <>
      <TextField
        label="Clone URL"
        mono
        placeholder="https://github.com/owner/repository.git"
        autoComplete="off"
        spellCheck={false}
        value={url}
        onText={onUrl}
        problem={problems['gitCloneUrl']}
        hint={<CheckWords check={check} />}
      />
      <TextField
        label="Branch"
        mono
        list={listId}
        placeholder={check.result?.defaultBranch || 'The default branch'}
        value={branch}
        onText={onBranch}
        problem={problems['gitBranch'] ?? (unknown ? 'The source has no branch of this name.' : undefined)}
        hint="Empty follows the default branch of the source."
      />
      <datalist id={listId}>
        {branches.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}

function CheckWords({ check: { result, checking, error } }: { check: ReturnType<typeof useSourceCheck> }) {
  return (
    <span aria-live="polite" className="flex min-h-5 items-start gap-1.5">
      {checking && (
        <>
          <Spinner /> Asking the source…
        </>
      )}
      {error && <span className="text-bad">{error.message}</span>}
      {result && !result.reachable && <span className="text-bad">{result.message}</span>}
      {result?.reachable === true && (
        <span className="flex items-center gap-1.5 text-good">
          <Icon name="check" />
          It answers, with {plural(result.branches.length, 'branch', 'branches')}; the default is {result.defaultBranch}.
        </span>
      )}
      {!checking && !error && !result && 'https, http, ssh or git@host:path.'}
    </span>
  )
}

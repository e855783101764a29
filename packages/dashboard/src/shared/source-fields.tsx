import { useId } from 'react'
import { TextField } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { Spinner } from '../components/spinner.tsx'
import { plural } from '../lib/sizes.ts'
import type { FieldBinding } from '../lib/use-form.ts'
import { useSourceCheck } from './source-check.ts'

type Props = {
  projectId: number
  url: FieldBinding<string>
  branch: FieldBinding<string>
  /** Skips the check for people who cannot change the source. */
  disabled?: boolean
}

/** A clone URL, checked while typing, and the branch to deploy. */
export function SourceFields({ projectId, url, branch, disabled = false }: Props) {
  const check = useSourceCheck(projectId, url.value, !disabled)
  const branches = check.result?.branches ?? []
  const listId = useId()
  const unknown = branch.value !== '' && branches.length > 0 && !branches.includes(branch.value)
  return (
    <>
      <TextField
        label="Clone URL"
        mono
        placeholder="https://github.com/owner/repository.git"
        autoComplete="off"
        spellCheck={false}
        {...url}
        hint={<CheckWords check={check} />}
      />
      <TextField
        label="Branch"
        mono
        list={listId}
        placeholder={check.result?.defaultBranch || 'Default branch'}
        {...branch}
        problem={branch.problem ?? (unknown ? 'The repository has no such branch.' : undefined)}
        hint="Leave empty for the default branch."
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
          <Spinner /> Checking…
        </>
      )}
      {error && <span className="text-bad">{error.message}</span>}
      {result && !result.reachable && <span className="text-bad">{result.message}</span>}
      {result?.reachable === true && (
        <span className="flex items-center gap-1.5 text-good">
          <Icon name="check" />
          <span>
            Connected. {plural(result.branches.length, 'branch', 'branches')}, default{' '}
            <code className="font-mono">{result.defaultBranch}</code>
          </span>
        </span>
      )}
      {!checking && !error && !result && 'https, http, ssh or git@host:path'}
    </span>
  )
}

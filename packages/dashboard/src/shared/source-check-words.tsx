import { Icon } from '../components/icon.tsx'
import { Spinner } from '../components/spinner.tsx'
import { errorWords } from '../lib/problem-words.ts'
import { plural } from '../lib/sizes.ts'
import type { SourceCheckState } from './source-check.ts'

/** Whether a repository can be cloned, and what is in it. */
export function CheckWords({ check: { result, checking, error }, otherwise }: { check: SourceCheckState; otherwise?: string }) {
  return (
    <span aria-live="polite" className="flex min-h-5 items-start gap-1.5">
      {checking && (
        <>
          <Spinner /> Checking…
        </>
      )}
      {error && <span className="text-bad">{errorWords(error)}</span>}
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
      {!checking && !error && !result && otherwise}
    </span>
  )
}

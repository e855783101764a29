import { GITHUB_OUTCOMES, type GitHubOutcome } from '@berth/contract'
import { Notice } from '../../components/notice.tsx'
import { useSearchState } from '../../lib/route-state.ts'

function isOutcome(word: string): word is GitHubOutcome {
  return Object.hasOwn(GITHUB_OUTCOMES, word)
}

/** The result of the round trip to GitHub, from which the browser has just returned. */
export function GitHubOutcomeNotice() {
  const [outcome, setOutcome] = useSearchState('github')
  if (!isOutcome(outcome)) return null
  const isFine = outcome === 'connected' || outcome === 'requested'
  return (
    <Notice
      tone={isFine ? 'plain' : 'bad'}
      actions={
        <button type="button" onClick={() => setOutcome('')} className="underline">
          Dismiss
        </button>
      }
    >
      {GITHUB_OUTCOMES[outcome]}
    </Notice>
  )
}

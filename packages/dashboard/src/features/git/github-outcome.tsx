import { GITHUB_OUTCOMES, type GitHubOutcome } from '@berth/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Notice } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { leftPath } from '../../shared/left-form.ts'

function isOutcome(word: string): word is GitHubOutcome {
  return Object.hasOwn(GITHUB_OUTCOMES, word)
}

/** The result of the round trip to GitHub, from which the browser has just returned. */
export function GitHubOutcomeNotice() {
  const [outcome, setOutcome] = useSearchState('github')
  const navigate = useNavigate()
  const left = leftPath()
  const mayGoOn = outcome === 'connected' && left !== undefined
  useEffect(() => {
    if (!mayGoOn) return
    toast(GITHUB_OUTCOMES.connected)
    void navigate({ to: left, replace: true })
  }, [mayGoOn, left, navigate])
  if (!isOutcome(outcome) || mayGoOn) return null
  const isFine = outcome === 'connected' || outcome === 'requested'
  return (
    <Notice
      tone={isFine ? 'plain' : 'bad'}
      actions={
        <>
          {left !== undefined && (
            <Link to={left} className="underline">
              Back to the new app
            </Link>
          )}
          <button type="button" onClick={() => setOutcome('')} className="underline">
            Dismiss
          </button>
        </>
      }
    >
      {GITHUB_OUTCOMES[outcome]}
    </Notice>
  )
}

import type { StreamState } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { me } from '../features/session/queries.ts'
import { startLiveEvents } from './live-events.ts'

/** Keeps the page live, and says so when the connection is lost. */
export function ConnectionNotice() {
  const client = useQueryClient()
  const [state, setState] = useState<StreamState>({ is: 'connecting', attempt: 0 })
  // The one that was loaded first, before everything else on the page.
  const [after] = useState(() => client.getQueryData(me.queryKey)?.cursor)
  useEffect(() => startLiveEvents(client, after, setState), [client, after])
  const lost = state.is === 'ended' || (state.is === 'waiting' && state.attempt > 0) || (state.is === 'connecting' && state.attempt > 0)
  return (
    <div aria-live="polite">
      {lost && (
        <p className="border-b border-warn/40 bg-warn-soft px-4 py-1.5 text-center text-sm text-warn">
          {state.is === 'ended'
            ? 'Live updates stopped. Reload the page.'
            : 'Connection to Berth lost. This page may be out of date. Reconnecting…'}
        </p>
      )}
    </div>
  )
}

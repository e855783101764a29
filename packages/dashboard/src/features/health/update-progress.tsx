import type { UpdateStatus } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { call } from '../../lib/api.ts'
import { updateStatus } from './queries.ts'

/** LIST of the phases, in their order. */
const PHASES: readonly { name: string; words: string }[] = [
  { name: 'downloading', words: 'Downloading' },
  { name: 'checking', words: 'Checking and unpacking' },
  { name: 'rehearsing', words: 'Trying it with a copy of the database' },
  { name: 'waiting', words: 'Waiting for running deployments' },
  { name: 'switching', words: 'Restarting' },
  { name: 'watching', words: 'Watching the new version' },
]
const RETURNING = 'Restarting the previous version'

/** An update that runs. While Berth restarts, the last known phase stays. */
export function UpdateProgress({ update, isAway }: { update: UpdateStatus; isAway: boolean }) {
  const client = useQueryClient()
  const clear = useMutation({
    mutationFn: () => call('updates.clear'),
    onSettled: () => client.invalidateQueries({ queryKey: updateStatus.queryKey }),
  })
  const isReturning = update.phase === 'returning'
  const known = indexOf(isReturning ? 'watching' : update.phase)
  const phase = isAway ? Math.max(known, indexOf('switching')) : known
  const words = isReturning ? RETURNING : (PHASES[phase]?.words ?? '')
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm">
        <div className="min-w-0">
          <p className="font-medium">
            {isReturning ? `Returning to Berth ${update.from}` : `Updating Berth ${update.from} to ${update.to}`}
          </p>
          <p className="text-ink-soft" aria-live="polite">
            {isAway ? 'Berth is restarting. This page reconnects automatically.' : `${words}…`}
          </p>
        </div>
        <Button pending={clear.isPending} onClick={() => clear.mutate()} disabled={isAway || isReturning}>
          Cancel update
        </Button>
      </div>
      <ProgressBar percent={Math.round((100 * (phase + 1)) / (PHASES.length + 1))} label="Update" />
      {clear.error && <Notice tone="bad">{clear.error.message}</Notice>}
      <UpdateLog lines={update.log} />
    </div>
  )
}

function indexOf(phase: string): number {
  return PHASES.findIndex(({ name }) => name === phase)
}

export function UpdateLog({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <ol className="grid gap-1 rounded-md bg-sunken p-3 font-mono text-xs text-ink-soft [overflow-wrap:anywhere]">
      {lines.map((line) => (
        <li key={line}>{line.replace(/^\S+T(\d\d:\d\d:\d\d)\S*/, '$1')}</li>
      ))}
    </ol>
  )
}

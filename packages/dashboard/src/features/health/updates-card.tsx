import type { UpdateCheck, UpdateStatus } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyText } from '../../components/copy-text.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { call } from '../../lib/api.ts'
import { sentence } from '../../lib/problem-words.ts'
import { version } from '../session/queries.ts'
import { updateCheck, updateHistory, updateStatus } from './queries.ts'
import { commandIn, notesOf } from './update-notes.ts'
import { UpdateLog, UpdateProgress } from './update-progress.tsx'

/** New versions of Berth, the update that runs, and earlier ones. */
export function UpdatesCard() {
  const client = useQueryClient()
  const status = useQuery(updateStatus)
  const check = useQuery(updateCheck)
  const isRunning = status.data?.state === 'in_progress'
  const { data: running } = useQuery(version)
  const [first] = useState(running?.version) // the code of this page is as old
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (location.hash === '#updates') place.current?.scrollIntoView()
  }, [])
  const ran = useRef(false)
  useEffect(() => {
    if (ran.current && !isRunning) {
      void client.invalidateQueries({ queryKey: ['updates'] })
      void client.invalidateQueries({ queryKey: version.queryKey })
    }
    ran.current = isRunning
  }, [client, isRunning])
  return (
    <div ref={place} className="scroll-mt-16">
      <Card
        title="Updates"
        actions={
          !isRunning && (
            <Button pending={check.isFetching} onClick={() => void check.refetch()}>
              Check now
            </Button>
          )
        }
      >
        <div className="grid gap-4">
          {status.data && isRunning && <UpdateProgress update={status.data} isAway={status.error !== null} />}
          {status.data && running && !isRunning && <LastUpdate update={status.data} running={running.version} first={first} />}
          {!isRunning &&
            (check.error ? (
              <Notice tone="warn">{check.error.message}</Notice>
            ) : (
              <QueryView query={check}>{(found) => <Found found={found} hasFailed={hasFailed(status.data, found)} />}</QueryView>
            ))}
          {!isRunning && status.data && status.data.state !== 'idle' && <History />}
        </div>
      </Card>
    </div>
  )
}

/** `first` is the version that ran when this page was opened. */
function LastUpdate({ update, running, first }: { update: UpdateStatus; running: string; first: string | undefined }) {
  if (update.state === 'failed')
    return (
      <Notice tone="warn">
        The update to Berth {update.to} failed. Berth {running} is still running. {sentence(update.error)}
      </Notice>
    )
  if (update.state !== 'succeeded' || running === first) return null
  return (
    <Notice tone="plain" actions={<Button onClick={() => location.reload()}>Reload page</Button>}>
      Berth was updated to {running}.
    </Notice>
  )
}

function hasFailed(update: UpdateStatus | undefined, { latest }: UpdateCheck): boolean {
  return update?.state === 'failed' && update.to === latest
}

function Found({ found, hasFailed: isAgain }: { found: UpdateCheck; hasFailed: boolean }) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const apply = useMutation({
    mutationFn: () => call('updates.apply'),
    onSuccess: (update) => {
      client.setQueryData(updateStatus.queryKey, update)
      setAsking(false)
    },
  })
  if (!found.available)
    return (
      <div className="text-sm text-ink-soft">
        {found.message === '' ? (
          <p>
            Berth {found.current} is the newest version. Checked <RelativeTime at={found.checkedAt} />
          </p>
        ) : (
          <ByHand message={found.message} />
        )}
      </div>
    )
  return (
    <div className="grid gap-3 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="font-medium">Berth {found.latest} is available</p>
        {found.message === '' && (
          <Button kind="primary" onClick={() => setAsking(true)}>
            {isAgain ? 'Try again' : 'Update'}
          </Button>
        )}
      </div>
      <Notes found={found} />
      {found.message !== '' && <ByHand message={found.message} />}
      {isAsking && (
        <ConfirmDialog
          title={`Update to Berth ${found.latest}?`}
          action="Update"
          kind="primary"
          pending={apply.isPending}
          failure={apply.error?.message}
          onConfirm={() => apply.mutate()}
          onClose={() => setAsking(false)}
        >
          Apps keep serving. The dashboard and the API are unavailable for a few seconds. If the new version does not work, Berth returns to{' '}
          {found.current} automatically.
        </ConfirmDialog>
      )}
    </div>
  )
}

function Notes({ found: { notes, latest } }: { found: UpdateCheck }) {
  return (
    <div className="grid gap-2 text-ink-soft [overflow-wrap:anywhere] empty:hidden">
      {notesOf(notes, latest).map((block) =>
        block.is === 'text' ? (
          <p key={block.text}>{block.text}</p>
        ) : (
          <ul key={block.points.join(' ')} className="grid list-disc gap-1 pl-5">
            {block.points.map((point) => (
              <li key={point}>{point}</li>
            ))}
          </ul>
        ),
      )}
    </div>
  )
}

/** Why Berth cannot update itself, and what to do instead. */
function ByHand({ message }: { message: string }) {
  const { words, command } = commandIn(message)
  return (
    <div className="grid gap-2">
      <p className="text-ink-soft">{words}</p>
      {command !== undefined && <CopyText label="Command" text={command} />}
    </div>
  )
}

function History() {
  const query = useQuery(updateHistory)
  return (
    <details className="text-sm">
      <summary className="cursor-pointer text-ink-soft">Earlier updates</summary>
      <QueryView query={query}>
        {(updates) => (
          <ul className="divide-y divide-line">
            {updates.map((update) => (
              <li key={update.startedAt} className="grid gap-2 py-3">
                <p>
                  <span className="font-medium">
                    {update.from} → {update.to}
                  </span>
                  , {update.state === 'succeeded' ? 'succeeded' : 'failed'} <RelativeTime at={update.endedAt ?? update.startedAt} />
                  {update.by === '' ? ', automatic' : `, by ${update.by}`}
                </p>
                {update.error !== '' && <p className="text-ink-soft [overflow-wrap:anywhere]">{sentence(update.error)}</p>}
                <UpdateLog lines={update.log} />
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </details>
  )
}

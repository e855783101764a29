import type { Deployment } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { EmptyState } from '../../components/states.tsx'
import { classNames } from '../../lib/class-names.ts'
import { useIdParam } from '../../lib/route-state.ts'
import { DEPLOYMENT_LOOK, isRunning, TRIGGER_WORDS } from '../../lib/status.ts'
import { durationWords } from '../../lib/time.ts'
import { paths } from '../../paths.ts'
import { CommitWords } from '../../shared/commit-words.tsx'
import { deploymentsOfApp } from './queries.ts'
import { RollbackButton } from './rollback-button.tsx'

export function DeploymentsPage() {
  const appId = useIdParam('appId')
  const query = useQuery(deploymentsOfApp(appId))
  const navigate = useNavigate()
  const [picked, setPicked] = useState<readonly number[]>([])
  // A third selection replaces the older of the two.
  const toggle = (id: number): void => setPicked(picked.includes(id) ? picked.filter((each) => each !== id) : [...picked.slice(-1), id])
  const [from, to] = [...picked].sort((a, b) => a - b)
  return (
    <Card
      title="Deployments"
      flush
      note="Select two to compare."
      actions={
        <Button disabled={picked.length !== 2} onClick={() => void navigate({ to: paths.compare(appId), search: { from, to } })}>
          Compare
        </Button>
      }
    >
      <QueryView
        query={query}
        empty={
          <EmptyState icon="rocket" title="No deployments yet">
            Deploy the app to create the first one.
          </EmptyState>
        }
      >
        {(list) => (
          <ul className="divide-y divide-line">
            {list.map((deployment) => (
              <Row
                key={deployment.id}
                deployment={deployment}
                picked={picked.includes(deployment.id)}
                onToggle={() => toggle(deployment.id)}
              />
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}

function Row({ deployment, picked, onToggle }: { deployment: Deployment; picked: boolean; onToggle: () => void }) {
  const { id, app_id, deployment_number, status, is_active, created_at, duration, trigger, error_message, progress, finished_at } =
    deployment
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 text-sm">
      <input
        type="checkbox"
        aria-label={`Compare #${deployment_number}`}
        checked={picked}
        onChange={onToggle}
        className="mt-1 size-4 shrink-0 accent-(--accent-solid)"
      />
      <div className="grid min-w-0 flex-1 gap-1">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <Link to={paths.deployment(app_id, id)} className="font-semibold text-accent hover:underline">
            #{deployment_number}
          </Link>
          <Badge look={DEPLOYMENT_LOOK[status]} />
          {is_active && <Badge look={{ label: 'Live', tone: 'good' }} />}
        </div>
        <div className="min-w-0">
          <CommitWords deployment={deployment} />
        </div>
        {isRunning(status) && <ProgressBar percent={progress} label={`Progress of #${deployment_number}`} />}
        {error_message !== '' && (
          <p className={classNames('line-clamp-2 break-words', status === 'failed' ? 'text-bad' : 'text-ink-soft')}>{error_message}</p>
        )}
        <p className="text-[13px] text-ink-soft">
          {TRIGGER_WORDS[trigger].done} <RelativeTime at={created_at} />
          {finished_at !== null && `, took ${durationWords(duration)}`}
        </p>
      </div>
      <div className="empty:hidden max-sm:w-full max-sm:pl-7">
        <RollbackButton deployment={deployment} />
      </div>
    </li>
  )
}

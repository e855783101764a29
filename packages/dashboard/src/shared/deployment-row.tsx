import type { Deployment } from '@berth/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../components/badge.tsx'
import { ProgressBar } from '../components/progress-bar.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { classNames } from '../lib/class-names.ts'
import { activityWords, DEPLOYMENT_LOOK, isRunning, TRIGGER_WORDS } from '../lib/status.ts'
import { durationWords } from '../lib/time.ts'
import { paths } from '../paths.ts'
import { CommitWords, hasCommitWords } from './commit-words.tsx'

type Props = { deployment: Deployment; before?: ReactNode; actions?: ReactNode }

/** One deployment in a list. */
export function DeploymentRow({ deployment, before, actions }: Props) {
  const { id, app_id, deployment_number, status, is_active, created_at, duration, trigger, error_message, progress, finished_at } =
    deployment
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 text-sm">
      {before}
      <div className="grid min-w-0 flex-1 gap-1">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <Link to={paths.deployment(app_id, id)} className="font-semibold text-accent hover:underline">
            #{deployment_number}
          </Link>
          <Badge look={DEPLOYMENT_LOOK[status]} />
          {is_active && <Badge look={{ label: 'Live', tone: 'good' }} />}
          <span className="text-[13px] text-ink-soft">
            {TRIGGER_WORDS[trigger].done} <RelativeTime at={created_at} />
            {finished_at !== null && (
              <>
                , <span className="whitespace-nowrap">took {durationWords(duration)}</span>
              </>
            )}
            {isRunning(status) && ` · ${activityWords(deployment)}`}
          </span>
        </div>
        {hasCommitWords(deployment) && (
          <div className="min-w-0 [overflow-wrap:anywhere]">
            <CommitWords deployment={deployment} />
          </div>
        )}
        {isRunning(status) && <ProgressBar percent={progress} label={`Progress of #${deployment_number}`} />}
        {error_message !== '' && (
          <p className={classNames('line-clamp-2 [overflow-wrap:anywhere]', status === 'failed' ? 'text-bad' : 'text-ink-soft')}>
            {error_message}
          </p>
        )}
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-2 empty:hidden max-sm:w-full max-sm:pl-7">{actions}</div>}
    </li>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Skeleton } from '../../components/states.tsx'
import { activityWords, DEPLOYMENT_LOOK } from '../../lib/status.ts'
import { paths } from '../../paths.ts'
import { runningDeployments } from '../deployments/queries.ts'

/** Queued and running deployments. */
export function RunningCard({ nameOf }: { nameOf: (appId: number) => string }) {
  const query = useQuery(runningDeployments)
  return (
    <Card title="Deploying now" flush>
      <QueryView
        query={query}
        loading={<Skeleton rows={1} />}
        empty={<p className="px-4 py-4 text-sm text-ink-soft">No deployments in progress.</p>}
      >
        {(list) => (
          <ul className="divide-y divide-line">
            {list.map(({ id, app_id, status, progress, deployment_number, ...more }) => (
              <li key={id} className="grid gap-2 px-4 py-3 text-sm">
                <div className="flex items-center justify-between gap-3">
                  <Link to={paths.deployment(app_id, id)} className="min-w-0 truncate font-medium hover:underline">
                    {nameOf(app_id)} #{deployment_number}
                  </Link>
                  <Badge look={DEPLOYMENT_LOOK[status]} />
                </div>
                <ProgressBar percent={progress} label={`Progress of ${nameOf(app_id)}`} />
                <p className="text-[13px] text-ink-soft">{activityWords(more)}</p>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}

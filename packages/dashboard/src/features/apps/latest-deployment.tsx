import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { EmptyState } from '../../components/states.tsx'
import { activityWords, DEPLOYMENT_LOOK, isRunning } from '../../lib/status.ts'
import { paths } from '../../paths.ts'
import { useHasSource } from '../../shared/use-has-source.ts'
import { recentDeployments } from '../deployments/queries.ts'

/** What an app's owner wants to know first: a deployment that runs, one that failed, or that there was none. */
export function LatestDeployment({ app }: { app: Application }) {
  const { id: appId, app_type } = app
  const { data: history } = useQuery(recentDeployments(appId))
  const hasSource = useHasSource(app)
  if (!history) return null
  const [last] = history
  if (!last && !hasSource)
    return (
      <Card>
        <EmptyState
          icon="rocket"
          title="No source yet"
          action={
            <ButtonLink kind="primary" to={paths.appSettings(appId)}>
              Add a source
            </ButtonLink>
          }
        >
          {app_type === 'compose' ? 'Choose a repository or paste a Compose file' : 'Choose the repository of your code'} to deploy this
          app.
        </EmptyState>
      </Card>
    )
  if (!last)
    return (
      <Card>
        <EmptyState icon="rocket" title="Not deployed yet">
          {app_type === 'database'
            ? 'Deploy starts it from its template with its own volume.'
            : 'Deploy gets the source, builds it and starts it. You can follow every step.'}
        </EmptyState>
      </Card>
    )
  const link = (words: string) => (
    <Link to={paths.deployment(appId, last.id)} className="font-medium underline">
      {words}
    </Link>
  )
  if (last.status === 'failed')
    return (
      <Notice tone="bad" actions={link('View log')}>
        Deployment #{last.deployment_number} failed: {last.error_message}
      </Notice>
    )
  if (!isRunning(last.status)) return null
  return (
    <Card>
      <div className="grid gap-2 text-sm">
        <div className="flex items-center justify-between gap-3">
          <span>{link(`Deployment #${last.deployment_number}`)}</span>
          <Badge look={DEPLOYMENT_LOOK[last.status]} />
        </div>
        <ProgressBar percent={last.progress} label="Progress of the deployment" />
        <p className="text-ink-soft">
          {activityWords(last)} · {last.progress}%
        </p>
      </div>
    </Card>
  )
}

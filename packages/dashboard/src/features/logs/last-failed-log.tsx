import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { paths } from '../../paths.ts'
import { useHasSource } from '../../shared/use-has-source.ts'
import { lastFailedLog } from '../apps/queries.ts'
import { recentDeployments } from '../deployments/queries.ts'
import { KeptLog } from './kept-log.tsx'

/** Of an app without a container: what the container of its last failed deployment printed. */
export function LastFailedLog({ app, fileName }: { app: Application; fileName: string }) {
  const { data: deployments = [] } = useQuery(recentDeployments(app.id))
  return (
    <QueryView query={useQuery(lastFailedLog(app.id))}>
      {({ logs }) =>
        logs === '' ? (
          <Card flush>
            <NoContainer app={app} wasDeployed={deployments.length > 0} />
          </Card>
        ) : (
          <div className="grid gap-4">
            <Notice tone="warn">No container is running. This is what the last failed one printed.</Notice>
            <KeptLog
              key={logs}
              logs={logs}
              fileName={fileName}
              ended={{ label: 'Container stopped', tone: 'idle' }}
              empty="It printed nothing."
              className="h-[calc(100dvh-21rem)] min-h-96"
            />
          </div>
        )
      }
    </QueryView>
  )
}

function NoContainer({ app, wasDeployed }: { app: Application; wasDeployed: boolean }) {
  const hasSource = useHasSource(app)
  if (!hasSource)
    return (
      <EmptyState
        icon="audit"
        title="No container yet"
        action={
          <ButtonLink kind="primary" to={paths.appSettings(app.id)}>
            Add a source
          </ButtonLink>
        }
      >
        The app has no source to deploy yet. Add one under Settings; logs appear after the first deployment.
      </EmptyState>
    )
  if (wasDeployed)
    return (
      <EmptyState icon="audit" title="No container is running">
        Deploy the app to start one. Build output is on the page of each deployment.
      </EmptyState>
    )
  return (
    <EmptyState icon="audit" title="No container yet">
      Logs appear after the first deployment. Build output is on the deployment page.
    </EmptyState>
  )
}

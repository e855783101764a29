import { useQuery } from '@tanstack/react-query'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { lastFailedLog } from '../apps/queries.ts'
import { recentDeployments } from '../deployments/queries.ts'
import { KeptLog } from './kept-log.tsx'

/** Of an app without a container: what the container of its last failed deployment printed. */
export function LastFailedLog({ appId, fileName }: { appId: number; fileName: string }) {
  const { data: deployments = [] } = useQuery(recentDeployments(appId))
  return (
    <QueryView query={useQuery(lastFailedLog(appId))}>
      {({ logs }) =>
        logs === '' ? (
          <Card flush>
            {deployments.length === 0 ? (
              <EmptyState icon="audit" title="No container yet">
                Logs appear after the first deployment. Build output is on the deployment page.
              </EmptyState>
            ) : (
              <EmptyState icon="audit" title="No container is running">
                Deploy the app to start one. Build output is on the page of each deployment.
              </EmptyState>
            )}
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

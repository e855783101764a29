import { useQuery } from '@tanstack/react-query'
import { QueryView } from '../../components/query-view.tsx'
import { useApp } from '../../shared/use-app.ts'
import { container } from '../apps/queries.ts'
import { ContainerLog } from './container-log-view.tsx'
import { LastFailedLog } from './last-failed-log.tsx'
import { ReplicaLogs } from './replica-logs.tsx'
import { ServiceLogs } from './service-logs.tsx'

export function LogsPage() {
  const app = useApp()
  return app.app_type === 'compose' ? <ServiceLogs app={app} /> : <AppLogs />
}

function AppLogs() {
  const app = useApp()
  return (
    <QueryView query={useQuery(container(app.id))}>
      {({ id, state, status, replicas, processes = [] }) =>
        replicas || processes.some((each) => each.replicas.length > 0) ? (
          <ReplicaLogs app={app} replicas={replicas ?? [{ replica: 1, id, state, status }]} processes={processes} />
        ) : id === '' ? (
          <LastFailedLog app={app} fileName={`${app.slug}.log`} />
        ) : (
          // A new container has a new log, and a restarted one is read again.
          <ContainerLog key={`${id} ${state === 'running'}`} appId={app.id} containerId={id} fileName={`${app.slug}.log`} />
        )
      }
    </QueryView>
  )
}

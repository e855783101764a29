import { useQuery } from '@tanstack/react-query'
import { LogViewer } from '../../components/log-viewer.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { STREAM_LOOK } from '../../lib/status.ts'
import { useApp } from '../../shared/use-app.ts'
import { container } from '../apps/queries.ts'
import { useContainerLog } from './follow-container.ts'
import { LastFailedLog } from './last-failed-log.tsx'

export function LogsPage() {
  const app = useApp()
  return (
    <QueryView query={useQuery(container(app.id))}>
      {({ id, state }) =>
        id === '' ? (
          <LastFailedLog appId={app.id} fileName={`${app.slug}.log`} />
        ) : (
          // A new container has a new log, and a restarted one is read again.
          <ContainerLog key={`${id} ${state === 'running'}`} containerId={id} fileName={`${app.slug}.log`} />
        )
      }
    </QueryView>
  )
}

const STREAMS = [
  { value: 'all', label: 'All' },
  { value: 'stdout', label: 'Output' },
  { value: 'stderr', label: 'Errors' },
] as const

const LOOKS = { ...STREAM_LOOK, ended: { label: 'Container stopped', tone: 'idle' } } as const

function ContainerLog({ containerId, fileName }: { containerId: string; fileName: string }) {
  const { buffer, state } = useContainerLog(containerId)
  return (
    <LogViewer
      buffer={buffer}
      fileName={fileName}
      streams={STREAMS}
      state={state}
      looks={LOOKS}
      empty="No output yet."
      className="h-[calc(100dvh-17rem)] min-h-96"
    />
  )
}

import { requestFor } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { LogViewer } from '../../components/log-viewer.tsx'
import { QueryView } from '../../components/query-view.tsx'
import type { LogSource } from '../../lib/log-source.ts'
import { saveFrom } from '../../lib/save-file.ts'
import { STREAM_LOOK } from '../../lib/status.ts'
import { useApp } from '../../shared/use-app.ts'
import { container } from '../apps/queries.ts'
import { createContainerLog } from './container-log.ts'
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
          <ContainerLog key={`${id} ${state === 'running'}`} appId={app.id} containerId={id} fileName={`${app.slug}.log`} />
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
const LOOKS_OF_THE_PAST = { ...LOOKS, ended: { label: 'Older lines', tone: 'idle' } } as const

type Props = { appId: number; containerId: string; fileName: string }

function ContainerLog({ appId, containerId, fileName }: Props) {
  const [log] = useState(() => createContainerLog({ appId, containerId }))
  const { isLive, ...view } = useSyncExternalStore(log.subscribe, log.view)
  useEffect(() => {
    log.start()
    return () => log.close()
  }, [log])
  const source: LogSource = {
    ...log,
    ...view,
    name: containerId,
    download: () => saveFrom(requestFor('containers.logFile', { appId, containerId }).path, fileName),
  }
  return (
    <LogViewer
      source={source}
      streams={STREAMS}
      looks={isLive ? LOOKS : LOOKS_OF_THE_PAST}
      empty="No output yet."
      className="h-[calc(100dvh-17rem)] min-h-96"
    />
  )
}

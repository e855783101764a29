import { requestFor } from '@berth/contract'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { LogViewer } from '../../components/log-viewer.tsx'
import type { LogSource } from '../../lib/log-source.ts'
import { saveFrom } from '../../lib/save-file.ts'
import { STREAM_LOOK } from '../../lib/status.ts'
import { createContainerLog } from './container-log.ts'
import type { Prefix } from './follow-container.ts'

const STREAMS = [
  { value: 'all', label: 'All' },
  { value: 'stdout', label: 'Output' },
  { value: 'stderr', label: 'Errors' },
] as const

const LOOKS = { ...STREAM_LOOK, ended: { label: 'Container stopped', tone: 'idle' } } as const
const LOOKS_OF_THE_PAST = { ...LOOKS, ended: { label: 'Older lines', tone: 'idle' } } as const

type Props = { appId: number; containerId?: string; service?: string; fileName: string; className?: string; named?: Prefix }

/** The live log of one container, or without one of all containers of the app or of a service. */
export function ContainerLog({ appId, containerId, service, fileName, className = 'h-[calc(100dvh-17rem)] min-h-96', named }: Props) {
  const which = { appId, ...(containerId !== undefined && { containerId }), ...(service !== undefined && { service }) }
  const [log] = useState(() => createContainerLog(which, named))
  const { isLive, ...view } = useSyncExternalStore(log.subscribe, log.view)
  useEffect(() => {
    log.start()
    return () => log.close()
  }, [log])
  const source: LogSource = {
    ...log,
    ...view,
    name: containerId ?? service ?? `all of ${appId}`,
    download: () => saveFrom(requestFor('containers.logFile', which).path, fileName),
  }
  return (
    <LogViewer source={source} streams={STREAMS} looks={isLive ? LOOKS : LOOKS_OF_THE_PAST} empty="No output yet." className={className} />
  )
}

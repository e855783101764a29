import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Card } from '../../components/card.tsx'
import { LogViewer } from '../../components/log-viewer.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { createLogBuffer, type NewLogLine } from '../../lib/log-buffer.ts'
import { loadedSource } from '../../lib/log-source.ts'
import { saveFile } from '../../lib/save-file.ts'
import { STREAM_LOOK } from '../../lib/status.ts'
import { lastFailedLog } from '../apps/queries.ts'

const LINES_KEPT = 2100
const STREAMS = [{ value: 'all', label: 'All' }] as const
const LOOKS = { ...STREAM_LOOK, ended: { label: 'Container stopped', tone: 'idle' } } as const

/** Of an app without a container: what the container of its last failed deployment printed. */
export function LastFailedLog({ appId, fileName }: { appId: number; fileName: string }) {
  return (
    <QueryView query={useQuery(lastFailedLog(appId))}>
      {({ logs }) =>
        logs === '' ? (
          <Card flush>
            <EmptyState icon="audit" title="No container yet">
              Logs appear after the first deployment. Build output is on the deployment page.
            </EmptyState>
          </Card>
        ) : (
          <div className="grid gap-4">
            <Notice tone="warn">No container is running. This is what the last failed one printed.</Notice>
            <KeptLog key={logs} logs={logs} fileName={fileName} />
          </div>
        )
      }
    </QueryView>
  )
}

function lineOf(printed: string): NewLogLine {
  const space = printed.indexOf(' ')
  return { at: printed.slice(0, space), text: printed.slice(space + 1), stream: 'stdout' }
}

function KeptLog({ logs, fileName }: { logs: string; fileName: string }) {
  const [buffer] = useState(() => createLogBuffer({ capacity: LINES_KEPT, soon: (flush) => setTimeout(flush, 0) }))
  useEffect(() => {
    buffer.clear()
    buffer.append(logs.split('\n').map(lineOf))
  }, [buffer, logs])
  return (
    <LogViewer
      source={loadedSource({ name: fileName, buffer, state: 'ended', download: () => saveFile(fileName, buffer.text()) })}
      streams={STREAMS}
      looks={LOOKS}
      empty="It printed nothing."
      className="h-[calc(100dvh-21rem)] min-h-96"
    />
  )
}

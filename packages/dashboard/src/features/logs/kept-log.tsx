import { useEffect, useRef, useState } from 'react'
import { LogViewer } from '../../components/log-viewer.tsx'
import { createLogBuffer } from '../../lib/log-buffer.ts'
import { loadedSource } from '../../lib/log-source.ts'
import { saveFile } from '../../lib/save-file.ts'
import { type Look, STREAM_LOOK } from '../../lib/status.ts'
import { newLines, printedLine } from './printed-lines.ts'

const LINES_KEPT = 10_000
const STREAMS = [{ value: 'all', label: 'All' }] as const

type Props = { logs: string; fileName: string; ended: Look; empty: string; className: string }

/** A log that came as one text. Where a longer one follows, only its new lines are added, so that nothing moves. */
export function KeptLog({ logs, fileName, ended, empty, className }: Props) {
  const [buffer] = useState(() => createLogBuffer({ capacity: LINES_KEPT, soon: (flush) => setTimeout(flush, 0) }))
  const shown = useRef<readonly string[]>([])
  useEffect(() => {
    const printed = logs === '' ? [] : logs.split('\n')
    const added = newLines(shown.current, printed)
    if (added === undefined) buffer.clear()
    buffer.append((added ?? printed).map(printedLine))
    shown.current = printed
  }, [buffer, logs])
  return (
    <LogViewer
      source={loadedSource({ name: fileName, buffer, state: 'ended', download: () => saveFile(fileName, buffer.text()) })}
      streams={STREAMS}
      looks={{ ...STREAM_LOOK, ended }}
      empty={empty}
      className={className}
    />
  )
}

import type { DeploymentFrame, StreamState } from '@berth/contract'
import { useEffect, useState } from 'react'
import { createLogBuffer, type LogBuffer, type NewLogLine } from '../../lib/log-buffer.ts'
import { plural } from '../../lib/sizes.ts'
import { follow } from '../../lib/sockets.ts'

const LINES_KEPT = 100_000
const DRAW_EVERY_MS = 100

/** The log line of a frame. The status and the reason of a failure are shown above the log. */
function lineOf(frame: DeploymentFrame): NewLogLine | undefined {
  if (frame.type === 'log') return { text: frame.data.line, stream: frame.data.stream, at: frame.timestamp, id: String(frame.data.n) }
  if (frame.type === 'gap')
    return {
      text: `${plural(frame.data.lines, 'line')} skipped: they arrived too fast to show. The download has them.`,
      stream: 'berth',
      at: frame.timestamp,
    }
  return undefined
}

/** The log of a deployment, from the start and live. */
export function useDeploymentLog(deploymentId: number): { buffer: LogBuffer; state: StreamState['is'] } {
  const [buffer] = useState(() => createLogBuffer({ capacity: LINES_KEPT, soon: (flush) => setTimeout(flush, DRAW_EVERY_MS) }))
  const [state, setState] = useState<StreamState['is']>('connecting')
  useEffect(() => {
    buffer.clear()
    const stream = follow(
      'deployment.streamById',
      { deploymentId },
      {
        onFrame: (frame) => {
          const line = lineOf(frame)
          if (line) buffer.append([line])
        },
        onState: ({ is }) => setState(is),
      },
    )
    return () => stream.close()
  }, [buffer, deploymentId])
  return { buffer, state }
}

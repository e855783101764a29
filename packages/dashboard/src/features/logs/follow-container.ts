import type { ContainerFrame, StreamState } from '@berth/contract'
import { useEffect, useState } from 'react'
import { createLogBuffer, type LogBuffer, type NewLogLine } from '../../lib/log-buffer.ts'
import { plural } from '../../lib/sizes.ts'
import { follow } from '../../lib/sockets.ts'

const LINES_KEPT = 100_000
const LINES_BEFORE = 2_000
const DRAW_EVERY_MS = 100

/**
 * Turns frames into lines. The stream of a container has no cursor: after a reconnect the last lines come again,
 * and those not newer than the last one shown before it are left out.
 */
export function createContainerReader() {
  let lastAt = ''
  let resumeAfter = ''
  return {
    reconnected: () => {
      resumeAfter = lastAt
    },
    lineOf: (frame: ContainerFrame): NewLogLine | undefined => {
      if (frame.type === 'end') return { text: frame.data.message, stream: 'berth', at: frame.timestamp }
      if (frame.type === 'gap')
        return { text: `${plural(frame.data.lines, 'line')} skipped: they arrived too fast to show.`, stream: 'berth', at: frame.timestamp }
      if (frame.type === 'status') return undefined
      const { at, line, stream } = frame.data
      if (at !== '' && at <= resumeAfter) return undefined
      lastAt = at
      return { text: line, stream, at }
    },
  }
}

/** The recent and live output of a container. */
export function useContainerLog(containerId: string): { buffer: LogBuffer; state: StreamState['is'] } {
  const [buffer] = useState(() => createLogBuffer({ capacity: LINES_KEPT, soon: (flush) => setTimeout(flush, DRAW_EVERY_MS) }))
  const [state, setState] = useState<StreamState['is']>('connecting')
  useEffect(() => {
    buffer.clear()
    const reader = createContainerReader()
    const stream = follow(
      'container.logs',
      { containerId, tail: LINES_BEFORE },
      {
        onFrame: (frame) => {
          const line = reader.lineOf(frame)
          if (line) buffer.append([line])
        },
        onState: ({ is }) => {
          if (is === 'open') reader.reconnected()
          setState(is)
        },
      },
    )
    return () => stream.close()
  }, [buffer, containerId])
  return { buffer, state }
}

import type { ContainerFrame } from '@berth/contract'
import type { NewLogLine } from '../../lib/log-buffer.ts'
import { plural } from '../../lib/sizes.ts'

/**
 * Turns frames into lines. The stream of a container has no cursor: after a reconnect the last lines come again,
 * and those not newer than the last one shown before it are left out.
 */
export function createContainerReader() {
  let lastAt = ''
  let nth = 0
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
      nth = at === lastAt ? nth + 1 : 0
      lastAt = at
      return { text: line, stream, at, id: nth === 0 ? at : `${at}~${nth}` } // as the server names it
    },
  }
}

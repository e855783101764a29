import type { AppLogFrame, ContainerFrame } from '@berth/contract'
import type { NewLogLine } from '../../lib/log-buffer.ts'
import { plural } from '../../lib/sizes.ts'

type Printer = { service: string; replica: number }
export type Prefix = (by: Printer) => string

/** Says which container printed a line, where several are shown as one log. */
export function prefixOf({ service, replica }: Printer): string {
  if (service === '') return `replica ${replica} | `
  return replica === 1 ? `${service} | ` : `${service} replica ${replica} | `
}

/** The same for an app with processes, of which `main` is the main one, and `replicated` those with several containers. */
export function processPrefix(main: string, replicated: readonly string[]): Prefix {
  return ({ service, replica }) => {
    const name = service === '' ? main : service
    return replicated.includes(name) ? `${name} replica ${replica} | ` : `${name} | `
  }
}

/**
 * Turns frames into lines. The stream of a container has no cursor: after a reconnect the last lines come again,
 * and those not newer than the last one that its container had shown before are left out.
 */
export function createContainerReader({ withPrefix = false, named = prefixOf }: { withPrefix?: boolean; named?: Prefix } = {}) {
  let lastAt = ''
  let nth = 0
  const lastOf = new Map<string, string>()
  let resumeAfter: ReadonlyMap<string, string> = new Map()
  return {
    reconnected: () => {
      resumeAfter = new Map(lastOf)
    },
    lineOf: (frame: ContainerFrame | AppLogFrame): NewLogLine | undefined => {
      if (frame.type === 'end') return { text: frame.data.message, stream: 'berth', at: frame.timestamp }
      if (frame.type === 'gap')
        return { text: `${plural(frame.data.lines, 'line')} skipped: they arrived too fast to show.`, stream: 'berth', at: frame.timestamp }
      if (frame.type === 'status') return undefined
      const { at, line, stream } = frame.data
      const prefix = 'service' in frame.data ? named(frame.data) : ''
      if (at !== '' && at <= (resumeAfter.get(prefix) ?? '')) return undefined
      lastOf.set(prefix, at)
      nth = at === lastAt ? nth + 1 : 0
      lastAt = at
      return { text: withPrefix ? `${prefix}${line}` : line, stream, at, id: nth === 0 ? at : `${at}~${nth}` } // as the server names it
    },
  }
}

import { count, field, filters, text, texts } from './api/json.ts'
import { jsonLines } from './api/json-lines.ts'
import type { Transport } from './api/transport.ts'
import { LABEL } from './labels.ts'

export type ContainerEvent = {
  /** Hand it back as `since` to go on after this event. */
  readonly cursor: string
  readonly at: string
  /** The engine's word: start, die, oom, destroy, … */
  readonly action: string
  readonly containerId: string
  readonly exitCode: number | null
  readonly labels: Readonly<Record<string, string>>
}

/** What happens to one instance's containers. It ends with EngineUnreachable when the engine goes; begin again with the last cursor. */
export function createEngineEvents(deps: { transport: Transport }) {
  return async function* events(wanted: { instance: string; since?: string; signal: AbortSignal }): AsyncGenerator<ContainerEvent> {
    const query = { since: wanted.since, filters: filters({ type: ['container'], label: [`${LABEL.instance}=${wanted.instance}`] }) }
    const answer = await deps.transport.stream({ method: 'GET', path: '/events', query, signal: wanted.signal })
    try {
      for await (const message of jsonLines(answer.chunks)) {
        const event = eventOf(message)
        if (isAfter(event.cursor, wanted.since)) yield event
      }
    } finally {
      answer.close()
    }
  }
}

function eventOf(message: unknown): ContainerEvent {
  const seconds = count(field(message, 'time'))
  // timeNano is over 2^53, so its last digits are lost; whole microseconds survive.
  const micros = Math.floor((count(field(message, 'timeNano')) - seconds * 1e9) / 1000)
  const labels = texts(field(message, 'Actor', 'Attributes'))
  const exitCode = labels['exitCode']
  return {
    cursor: `${seconds}.${String(Math.min(999_999, Math.max(0, micros))).padStart(6, '0')}000`,
    at: new Date(seconds * 1000 + micros / 1000).toISOString(),
    action: text(field(message, 'Action')).split(':')[0] ?? '',
    containerId: text(field(message, 'Actor', 'ID')),
    exitCode: exitCode === undefined ? null : Number(exitCode),
    labels,
  }
}

// Both have the same shape (ten digits, a dot, nine digits), so text order is time order.
function isAfter(cursor: string, since: string | undefined): boolean {
  return since === undefined || cursor > since
}

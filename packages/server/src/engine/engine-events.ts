import { field, filters, text, texts } from './api/json.ts'
import { jsonLines } from './api/json-lines.ts'
import type { Transport } from './api/transport.ts'
import { LABEL } from './labels.ts'

export type ContainerEvent = {
  /** The engine's word: start, die, oom, destroy, … */
  readonly action: string
  readonly containerId: string
  readonly labels: Readonly<Record<string, string>>
}

/** What happens to one instance's containers from now on. Ends with EngineUnreachable when the engine goes away. */
export function createEngineEvents(deps: { transport: Transport }) {
  return async function* events(wanted: { instance: string; signal: AbortSignal }): AsyncGenerator<ContainerEvent> {
    const query = { filters: filters({ type: ['container'], label: [`${LABEL.instance}=${wanted.instance}`] }) }
    const answer = await deps.transport.stream({ method: 'GET', path: '/events', query, signal: wanted.signal })
    try {
      for await (const message of jsonLines(answer.chunks)) yield eventOf(message)
    } finally {
      answer.close()
    }
  }
}

function eventOf(message: unknown): ContainerEvent {
  return {
    action: text(field(message, 'Action')).split(':')[0] ?? '',
    containerId: text(field(message, 'Actor', 'ID')),
    labels: texts(field(message, 'Actor', 'Attributes')),
  }
}

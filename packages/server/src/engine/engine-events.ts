import { count, field, filters, jsonLines, text, texts } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { LABEL } from './labels.ts'

export type ContainerEvent = {
  /** One of `ACTIONS`, which are the engine's words. */
  readonly action: string
  readonly containerId: string
  readonly labels: Readonly<Record<string, string>>
}

/**
 * What to tell of containers. The engine leaves out everything else: each run of a health check is three events, each with all labels of
 * the container.
 */
const ACTIONS = ['start', 'die', 'oom', 'destroy']

/** The events of one instance's containers from now on. Ends with EngineUnreachable when the connection to the engine is lost. */
export function createEngineEvents(deps: { transport: Transport }) {
  return async function* events(wanted: { instance: string; signal: AbortSignal }): AsyncGenerator<ContainerEvent> {
    const query = { filters: filters({ type: ['container'], event: ACTIONS, label: [`${LABEL.instance}=${wanted.instance}`] }) }
    const answer = await deps.transport.stream({ method: 'GET', path: '/events', query, signal: wanted.signal })
    try {
      for await (const message of jsonLines(answer.chunks)) yield eventOf(message)
    } finally {
      answer.close()
    }
  }
}

/** When a container ended, as far back as the engine remembers (its last 256 events): what it prints after that comes from a new start. */
export function createEndTimes(deps: { transport: Transport }) {
  return async function endTimes(containerId: string, signal: AbortSignal): Promise<string[]> {
    const until = (Date.now() / 1000).toFixed(3)
    const query = { since: '1', until, filters: filters({ type: ['container'], container: [containerId], event: ['die'] }) }
    const answer = await deps.transport.stream({ method: 'GET', path: '/events', query, signal })
    try {
      const times: string[] = []
      for await (const message of jsonLines(answer.chunks)) times.push(new Date(count(field(message, 'timeNano')) / 1e6).toISOString())
      return times
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

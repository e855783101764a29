import { setTimeout as sleep } from 'node:timers/promises'
import type { Streams } from '../../http/websocket.ts'
import type { ServerMetricsReader } from './server-metrics.ts'

export function createMetricsStreams(metrics: ServerMetricsReader, now: () => Date) {
  return {
    metrics: async ({ send, signal }) => {
      while (!signal.aborted) {
        send({ type: 'metrics', timestamp: now().toISOString(), data: await metrics.read() })
        await sleep(1000, undefined, { signal }).catch(() => undefined)
      }
    },
  } satisfies Partial<Streams>
}

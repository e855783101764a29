import type { MetricsFrame, ServerMetrics, StreamState } from '@berth/contract'
import { useSyncExternalStore } from 'react'
import { follow } from '../../lib/sockets.ts'

export type MetricsSample = ServerMetrics & { at: number }
export type MetricsView = { samples: readonly MetricsSample[]; state: StreamState['is'] }

const KEPT = 900

/** Adds a frame to the history; frames of the past that come again are left out. */
export function withFrame(samples: readonly MetricsSample[], frame: MetricsFrame): readonly MetricsSample[] {
  const at = Date.parse(frame.timestamp) / 1000
  const last = samples.at(-1)
  if (last && at <= last.at) return samples
  return [...samples.slice(1 - KEPT), { at, ...frame.data }]
}

/** The load of the server. It listens while somebody looks and keeps what it has heard. */
function createMetricsFeed() {
  let view: MetricsView = { samples: [], state: 'connecting' }
  let stop: (() => void) | undefined
  const listeners = new Set<() => void>()

  function publish(next: Partial<MetricsView>): void {
    view = { ...view, ...next }
    for (const listener of listeners) listener()
  }

  function subscribe(listener: () => void): () => void {
    listeners.add(listener)
    stop ??= follow(
      'metrics',
      {},
      {
        onFrame: (frame) => publish({ samples: withFrame(view.samples, frame) }),
        onState: ({ is }) => publish({ state: is }),
      },
    ).close
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      stop?.()
      stop = undefined
    }
  }

  return { subscribe, view: () => view }
}

const feed = createMetricsFeed()

export function useMetrics(): MetricsView {
  return useSyncExternalStore(feed.subscribe, feed.view)
}

import type { MetricsFrame, MetricsHistory, MetricsPoint, ServerMetrics, StreamState } from '@berth/contract'
import { useSyncExternalStore } from 'react'
import { call } from '../lib/api.ts'
import { follow } from '../lib/sockets.ts'

/** A point of the plots; `at` is in seconds. Live samples have more values than the history that the server keeps. */
export type PlotPoint = Omit<MetricsPoint, 'at'> & { at: number }
export type MetricsSample = ServerMetrics & { at: number }
export type MetricsView = {
  samples: readonly MetricsSample[]
  /** The server's history when the connection was last made. */
  history: MetricsHistory | undefined
  state: StreamState['is']
}

export const KEPT_SECONDS = 3600

export function secondsOf(time: string): number {
  return Date.parse(time) / 1000
}

/** Adds a live frame. Frames that are repeated after a reconnect are skipped. */
export function withFrame(samples: readonly MetricsSample[], { timestamp, data }: MetricsFrame): readonly MetricsSample[] {
  const at = secondsOf(timestamp)
  const last = samples.at(-1)
  if (last && at <= last.at) return samples
  return [...samples.filter((sample) => sample.at > at - KEPT_SECONDS), { at, ...data }]
}

/** Live samples, with the history where there are none. History that overlaps live samples would show the same seconds twice. */
export function pointsOf({ samples, history }: Pick<MetricsView, 'samples' | 'history'>): readonly PlotPoint[] {
  if (!history) return samples
  let next = 0
  const timeHeard = (): number => samples[next]?.at ?? Number.POSITIVE_INFINITY
  const missing = history.points
    .map((point) => ({ ...point, at: secondsOf(point.at) }))
    .filter(({ at }) => {
      while (timeHeard() <= at - history.everySeconds) next += 1
      return timeHeard() > at
    })
  return [...missing, ...samples].toSorted((a, b) => a.at - b.at)
}

/** Live server metrics. Connected only while a component uses them; gaps are filled from the history. */
function createMetricsFeed() {
  let view: MetricsView = { samples: [], history: undefined, state: 'connecting' }
  let stop: (() => void) | undefined
  let isAsking = false
  const listeners = new Set<() => void>()

  function publish(next: Partial<MetricsView>): void {
    view = { ...view, ...next }
    for (const listener of listeners) listener()
  }

  /** The plots work without the history; until it is there, each frame requests it again. */
  async function fill(): Promise<void> {
    if (isAsking) return
    isAsking = true
    const history = await call('metrics.history').catch(() => undefined)
    isAsking = false
    if (history) publish({ history })
  }

  function subscribe(listener: () => void): () => void {
    listeners.add(listener)
    stop ??= follow(
      'metrics',
      {},
      {
        onFrame: (frame) => {
          publish({ samples: withFrame(view.samples, frame) })
          if (!view.history) void fill()
        },
        onState: ({ is }) => {
          publish({ state: is })
          if (is === 'open') void fill()
        },
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

import { createProjectsLookup } from '../domain/rows.ts'
import { createFeed } from '../events/feed.ts'
import { createAppLogStream } from '../features/containers/app-log-stream.ts'
import { createContainerStreams } from '../features/containers/streams.ts'
import { createDeploymentStreams } from '../features/deployments/streams.ts'
import { createLiveEvents } from '../features/events/streams.ts'
import type { MetricsHistoryKeeper } from '../features/metrics/history.ts'
import { createServerMetrics } from '../features/metrics/server-metrics.ts'
import { createMetricsStreams } from '../features/metrics/streams.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'
import type { WorkParts } from './work-parts.ts'

type Parts = { base: Foundation; engineParts: EngineParts; work: WorkParts; metricsHistory: MetricsHistoryKeeper }

/** Every WebSocket of the contract, and the feature that feeds it. */
export function createStreams({ base, engineParts, work, metricsHistory }: Parts) {
  const { db, nudge, now, config } = base
  const { logs, runDeployment } = work.deploying
  const engineCounts = engineParts.engineWatch.counts
  const metrics = createServerMetrics({ dataDir: config.dataDir, engineCounts, lastSampled: metricsHistory.lastCounters })
  return {
    ...createDeploymentStreams({ db, nudge, now, logs, isWriting: runDeployment.isWriting }),
    ...createContainerStreams({ engine: engineParts.engine, now }),
    ...createAppLogStream({ engine: engineParts.engine, liveRelease: work.liveRelease, now }),
    ...createMetricsStreams(metrics, now),
    ...createLiveEvents({ db, feed: createFeed({ db, nudge }), projectsOf: createProjectsLookup(db) }),
  }
}

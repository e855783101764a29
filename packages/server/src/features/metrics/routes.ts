import type { Handlers } from '../../http/implement.ts'
import type { MetricsHistoryKeeper } from './history.ts'

export function metricsHandlers(history: MetricsHistoryKeeper) {
  return { 'metrics.history': async () => history.read() } satisfies Partial<Handlers>
}

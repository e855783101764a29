import type { ListedApplication } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import type { MetricsSample } from '../../shared/metrics-feed.ts'
import { isAdmin, useMe } from '../session/queries.ts'
import { type Concern, concernsOf } from './attention.ts'
import { overview } from './queries.ts'

/** `settled` once the answer is there or has failed, so that the content below does not jump. */
export function useConcerns(
  apps: readonly ListedApplication[],
  metrics: MetricsSample | undefined,
): { concerns: Concern[]; settled: boolean } {
  const person = useMe()
  const { data, isPending, failureCount } = useQuery(overview)
  const concerns = concernsOf({
    apps,
    lastDeployments: data?.newestDeployments ?? [],
    domains: data?.troubledDomains ?? [],
    health: data?.health,
    metrics,
    mayAdmin: isAdmin(person),
  })
  return { concerns, settled: !isPending || failureCount > 0 }
}

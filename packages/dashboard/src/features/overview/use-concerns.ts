import type { Application } from '@berth/contract'
import { useQueries, useQuery } from '@tanstack/react-query'
import type { MetricsSample } from '../../shared/metrics-feed.ts'
import { deploymentsOfApp } from '../deployments/queries.ts'
import { domainsOf } from '../domains/queries.ts'
import { health } from '../health/queries.ts'
import { isAdmin, useMe } from '../session/queries.ts'
import { type Concern, concernsOf } from './attention.ts'

/** One request per app for deployments and domains is fine for dozens of apps, not for hundreds. */
const APPS_LOOKED_AT = 40

type Asked = { isPending: boolean; failureCount: number }

/** `settled` once all queries have answered or failed, so that the content below does not jump. */
export function useConcerns(apps: readonly Application[], metrics: MetricsSample | undefined): { concerns: Concern[]; settled: boolean } {
  const person = useMe()
  const healthQuery = useQuery(health)
  const some = apps.slice(0, APPS_LOOKED_AT)
  const histories = useQueries({ queries: some.map(({ id }) => deploymentsOfApp(id)) })
  const withDomains = some.filter(({ domains }) => domains.length > 0)
  const domains = useQueries({ queries: withDomains.map(({ id }) => ({ ...domainsOf(id), refetchInterval: 60_000 })) })
  const settled = [healthQuery, ...histories, ...domains].every(({ isPending, failureCount }: Asked) => !isPending || failureCount > 0)
  const concerns = concernsOf({
    apps,
    lastDeployments: histories.flatMap(({ data }) => data?.slice(0, 1) ?? []),
    domains: domains.flatMap(({ data }) => data ?? []),
    health: healthQuery.data,
    metrics,
    mayAdmin: isAdmin(person),
  })
  return { concerns, settled }
}

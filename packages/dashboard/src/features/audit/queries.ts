import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

const PAGE = 50

export type AuditFilter = { action: string; actorId: number | undefined; search: string; since: string; until: string }

/** A day that is still being typed is left out. */
function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
}

export function auditLog(filter: AuditFilter) {
  const { action, actorId, search, since, until } = filter
  return infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam }) =>
      call('audit.list', {
        limit: PAGE,
        ...(pageParam === undefined ? {} : { before: pageParam }),
        ...(action === '' ? {} : { action }),
        ...(actorId === undefined ? {} : { actorId }),
        ...(search === '' ? {} : { search }),
        ...(isDay(since) ? { since } : {}),
        ...(isDay(until) ? { until } : {}),
      }),
    initialPageParam: undefined as number | undefined, // the first page has no cursor
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.id),
  })
}

import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

const PAGE = 50

export type AuditFilter = { action: string; actorId: number | undefined }

export function auditLog({ action, actorId }: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ['audit', action, actorId],
    queryFn: ({ pageParam }) =>
      call('audit.list', {
        limit: PAGE,
        ...(pageParam === undefined ? {} : { before: pageParam }),
        ...(action === '' ? {} : { action }),
        ...(actorId === undefined ? {} : { actorId }),
      }),
    initialPageParam: undefined as number | undefined, // the first page has no cursor
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.id),
  })
}

import type { FiguresRange } from '@berth/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

/** New figures come once a minute. */
const EVERY_MS = 30_000

export function figuresOfApp(appId: number, range: FiguresRange) {
  return queryOptions({
    queryKey: ['figures', appId, range],
    queryFn: () => call('figures.get', { appId, range }),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  })
}

/** One request for the cards of all apps. */
export const glance = queryOptions({
  queryKey: ['figures', 'glance'],
  queryFn: () => call('figures.glance'),
  refetchInterval: EVERY_MS,
  staleTime: EVERY_MS,
})

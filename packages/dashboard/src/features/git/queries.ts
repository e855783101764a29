import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export type DeliveriesOf = { appId: number } | { accountId: number }

export const gitKeys = {
  all: ['git'],
  accounts: ['git', 'accounts'],
  repositories: (accountId: number, search: string) => ['git', 'repositories', accountId, search],
  allDeliveries: ['git', 'deliveries'],
  deliveries: (of: DeliveriesOf) => ['git', 'deliveries', of],
  delivery: (id: number) => ['git', 'delivery', id],
  webhook: (appId: number) => ['git', 'webhook', appId],
} as const

const PAGE = 20
/** No event reports a delivery that deploys nothing. */
const LOOK_AGAIN_MS = 5000

export const gitAccounts = queryOptions({ queryKey: gitKeys.accounts, queryFn: () => call('git.accounts') })

/** Hosts are slow and limit how often they are asked. */
export function repositories(accountId: number, search: string) {
  return queryOptions({
    queryKey: gitKeys.repositories(accountId, search),
    queryFn: ({ signal }) => call('git.repos', { installationId: accountId, search }, { signal }),
    staleTime: 60_000,
    retry: false,
    placeholderData: keepPreviousData,
  })
}

export function deliveries(of: DeliveriesOf) {
  return infiniteQueryOptions({
    queryKey: gitKeys.deliveries(of),
    queryFn: ({ pageParam }) =>
      call('webhooks.deliveries', { ...of, limit: PAGE, ...(pageParam === undefined ? {} : { before: pageParam }) }),
    initialPageParam: undefined as number | undefined, // the first page has no cursor
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.id),
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? LOOK_AGAIN_MS : false),
  })
}

export function delivery(id: number) {
  return queryOptions({ queryKey: gitKeys.delivery(id), queryFn: () => call('webhooks.delivery', { id }) })
}

/** It is registered in the background, right after the source is chosen. */
export function webhookOf(appId: number) {
  return queryOptions({
    queryKey: gitKeys.webhook(appId),
    queryFn: () => call('apps.webhook', { appId }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? LOOK_AGAIN_MS : 60_000),
  })
}

import type { Domain } from '@berth/contract'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const domainKeys = { all: ['domains'], ofApp: (appId: number) => ['domains', appId] } as const

const settling = (domain: Domain): boolean => domain.sslStatus === 'pending' || domain.dnsStatus === 'unknown'

/** DNS and certificates change outside of Berth, so domains are refetched from time to time. */
export function domainsOf(appId: number) {
  return queryOptions({
    queryKey: domainKeys.ofApp(appId),
    queryFn: () => call('domains.list', { appId }),
    refetchInterval: ({ state }) => (state.data?.some(settling) ? 5_000 : 30_000),
  })
}

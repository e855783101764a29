import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

/** Servers come and go without an event of ours, so they are asked for as long as the page is open. */
export const servers = queryOptions({ queryKey: ['servers'], queryFn: () => call('servers.list'), refetchInterval: 5000, retry: false })

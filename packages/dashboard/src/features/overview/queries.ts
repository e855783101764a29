import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import { deploymentKeys } from '../deployments/queries.ts'
import { health } from '../health/queries.ts'

export const overviewKeys = { all: ['overview'] } as const

/** One answer for all apps. Its parts are what other queries ask for too, so they are put where those look. */
export const overview = queryOptions({
  queryKey: overviewKeys.all,
  queryFn: async ({ client }) => {
    const answer = await call('overview.get')
    client.setQueryData(deploymentKeys.running, answer.running)
    client.setQueryData(health.queryKey, answer.health)
    return answer
  },
  refetchInterval: 60_000,
})

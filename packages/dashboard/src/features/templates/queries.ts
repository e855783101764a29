import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const templates = queryOptions({
  queryKey: ['templates'],
  queryFn: () => call('templates.list'),
  staleTime: Number.POSITIVE_INFINITY,
})

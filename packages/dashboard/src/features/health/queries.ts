import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const health = queryOptions({ queryKey: ['health'], queryFn: () => call('health'), refetchInterval: 10_000 })

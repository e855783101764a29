import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const userKeys = { list: ['users'] } as const
export const users = queryOptions({ queryKey: userKeys.list, queryFn: () => call('users.list') })

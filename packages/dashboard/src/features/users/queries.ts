import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const userKeys = { all: ['users'], list: ['users', 'list'], invitations: ['users', 'invitations'] } as const
export const users = queryOptions({ queryKey: userKeys.list, queryFn: () => call('users.list') })
export const invitations = queryOptions({ queryKey: userKeys.invitations, queryFn: () => call('invitations.list') })

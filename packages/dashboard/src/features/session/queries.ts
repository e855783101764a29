import { ApiError, type Role, type User } from '@berth/contract'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const sessionKeys = { me: ['session', 'me'], version: ['session', 'version'], list: ['session', 'list'] } as const

export const sessions = queryOptions({ queryKey: sessionKeys.list, queryFn: () => call('auth.sessions') })

export const me = queryOptions({
  queryKey: sessionKeys.me,
  queryFn: () => call('auth.me', { with: 'cursor' }),
  staleTime: 60_000,
  // Every page waits for it, so a lost connection is retried; a refusal is not.
  retry: (failures, error) => failures < 2 && error instanceof ApiError && error.status === 0,
  retryDelay: 500,
})
export const version = queryOptions({
  queryKey: sessionKeys.version,
  queryFn: () => call('updates.version'),
  staleTime: Number.POSITIVE_INFINITY,
})

/** The logged-in user; every page behind the login has loaded it. */
export function useMe(): User {
  return useSuspenseQuery(me).data
}

export function isAdmin({ role }: { role: Role }): boolean {
  return role === 'admin' || role === 'owner'
}

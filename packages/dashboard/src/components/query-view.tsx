import { ApiError } from '@berth/contract'
import type { ReactNode } from 'react'
import { ErrorState, Skeleton } from './states.tsx'

type Asked<Value> = { data: Value | undefined; error: Error | null; refetch: () => Promise<unknown> }
type Props<Value> = { query: Asked<Value>; loading?: ReactNode; empty?: ReactNode; page?: boolean; children: (value: Value) => ReactNode }

/** Deleted, or no longer accessible: the old data must not stay on the screen. */
function isGone(error: Error): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 403)
}

/** The four states of a query: loading, failed, empty, loaded. Loaded data stays while it is refetched. */
export function QueryView<Value>({ query, loading, empty, page = false, children }: Props<Value>) {
  const { data, error, refetch } = query
  if (error && (data === undefined || isGone(error))) return <ErrorState error={error} page={page} onRetry={() => void refetch()} />
  if (data === undefined) return loading ?? (page ? <Skeleton page rows={4} height="h-20" /> : <Skeleton />)
  if (empty !== undefined && Array.isArray(data) && data.length === 0) return empty
  return children(data)
}

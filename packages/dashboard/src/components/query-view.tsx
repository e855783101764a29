import type { ReactNode } from 'react'
import { ErrorState, Skeleton } from './states.tsx'

type Asked<Value> = { data: Value | undefined; error: Error | null; refetch: () => Promise<unknown> }
type Props<Value> = { query: Asked<Value>; loading?: ReactNode; empty?: ReactNode; page?: boolean; children: (value: Value) => ReactNode }

/** The four states of anything that is asked for: loading, failed, empty, there. What is there stays while it is asked again. */
export function QueryView<Value>({ query, loading, empty, page = false, children }: Props<Value>) {
  const { data, error, refetch } = query
  if (data === undefined && error) return <ErrorState error={error} page={page} onRetry={() => void refetch()} />
  if (data === undefined) return loading ?? <Skeleton page={page} />
  if (empty !== undefined && Array.isArray(data) && data.length === 0) return empty
  return children(data)
}

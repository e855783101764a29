import { ApiError } from '@berth/contract'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

const RETRIES = 2

/** The query cache. `onSignedOut` is called when the server says that the session has ended. */
export function createQueries(onSignedOut: () => void): QueryClient {
  const watch = (error: Error): void => {
    if (error instanceof ApiError && error.code === 'not_signed_in') onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError: watch }),
    mutationCache: new MutationCache({ onError: watch }),
    defaultOptions: {
      queries: { staleTime: 15_000, retry: (failures, error) => failures < RETRIES && !isRefusal(error) },
    },
  })
}

/** Retrying would get the same answer. */
function isRefusal(error: Error): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500
}

import { ApiError } from '@berth/contract'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

const RETRIES = 2

/** The cache of everything that was asked. `onSignedOut` is called when an answer says that the session is over. */
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

/** The same question would be refused again. */
function isRefusal(error: Error): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500
}

import { ApiError } from '@berth/contract'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../lib/api.ts'
import { useSettled } from '../lib/use-settled.ts'

function sourceCheck(projectId: number, gitCloneUrl: string) {
  return queryOptions({
    queryKey: ['source', projectId, gitCloneUrl],
    queryFn: () => call('apps.checkSource', { projectId, gitCloneUrl }),
    staleTime: 30_000,
    retry: (tries, error) => tries < 3 && error instanceof ApiError && error.code === 'too_many_source_checks',
  })
}

/** Checks that a clone URL is reachable once typing pauses. */
export function useSourceCheck(projectId: number, url: string, isEnabled: boolean) {
  const settled = useSettled(url.trim())
  const query = useQuery({ ...sourceCheck(projectId, settled), enabled: isEnabled && settled !== '', placeholderData: keepPreviousData })
  const checking = isEnabled && settled !== '' && (settled !== url.trim() || query.isFetching)
  return { result: settled === '' || checking ? undefined : query.data, checking, error: checking ? null : query.error }
}

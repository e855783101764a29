import { ApiError } from '@berth/contract'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../lib/api.ts'
import { useSettled } from '../lib/use-settled.ts'

type Asked = { projectId: number; url: string; accountId: number | null }

function sourceCheck({ projectId, url, accountId }: Asked) {
  return queryOptions({
    queryKey: ['source', projectId, url, accountId],
    queryFn: () => call('apps.checkSource', { projectId, gitCloneUrl: url, gitProviderId: accountId }),
    staleTime: 30_000,
    retry: (tries, error) => tries < 3 && error instanceof ApiError && error.code === 'too_many_source_checks',
  })
}

/** Checks that a repository can be cloned once typing pauses. */
export function useSourceCheck({ projectId, url, accountId }: Asked, isEnabled: boolean) {
  const settled = useSettled(url.trim())
  const query = useQuery({
    ...sourceCheck({ projectId, url: settled, accountId }),
    enabled: isEnabled && settled !== '',
    placeholderData: keepPreviousData,
  })
  const checking = isEnabled && settled !== '' && (settled !== url.trim() || query.isFetching)
  return { result: settled === '' || checking ? undefined : query.data, checking, error: checking ? null : query.error }
}

export type SourceCheckState = ReturnType<typeof useSourceCheck>

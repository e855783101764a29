import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../lib/api.ts'

const TYPING_MS = 500

function sourceCheck(projectId: number, gitCloneUrl: string) {
  return queryOptions({
    queryKey: ['source', projectId, gitCloneUrl],
    queryFn: () => call('apps.checkSource', { projectId, gitCloneUrl }),
    staleTime: 30_000,
    retry: false,
  })
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** Asks whether a source answers once the typing pauses. */
export function useSourceCheck(projectId: number, url: string, isEnabled: boolean) {
  const settled = useSettled(url.trim())
  const query = useQuery({ ...sourceCheck(projectId, settled), enabled: isEnabled && settled !== '', placeholderData: keepPreviousData })
  const checking = isEnabled && settled !== '' && (settled !== url.trim() || query.isFetching)
  return { result: settled === '' || checking ? undefined : query.data, checking, error: checking ? null : query.error }
}

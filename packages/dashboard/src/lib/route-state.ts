import { useNavigate, useParams, useSearch } from '@tanstack/react-router'

/** An id in the URL; the router has validated it. */
export function useIdParam(name: 'projectId' | 'appId' | 'deploymentId' | 'accountId'): number {
  const params: Record<string, string | undefined> = useParams({ strict: false })
  return Number(params[name])
}

/** UI state in the URL, so that it can be linked to and survives a reload. */
export function useSearchState(name: string): [string, (value: string) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const value = search[name]
  function set(next: string): void {
    const changed = { ...search, [name]: next === '' ? undefined : next }
    void navigate({ to: '.', search: changed, replace: true, resetScroll: false })
  }
  return [typeof value === 'string' || typeof value === 'number' ? String(value) : '', set]
}

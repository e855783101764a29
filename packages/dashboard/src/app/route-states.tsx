import { ApiError } from '@berth/contract'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ButtonLink } from '../components/button.tsx'
import { useDocumentTitle } from '../components/page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../components/states.tsx'
import { paths } from '../paths.ts'

export function RoutePending() {
  return <Skeleton page rows={4} height="h-20" />
}

/** While nothing has loaded yet, index.html shows the skeleton. */
export function BootPending() {
  return (
    <p role="status" data-loading="" className="sr-only">
      Loading
    </p>
  )
}

/** A page below one that exists. */
export function RouteMissing() {
  useDocumentTitle('Not found')
  return (
    <EmptyState icon="search" title="Page not found" action={<ButtonLink to={paths.overview()}>Go to overview</ButtonLink>}>
      Check the address. The page may have been removed.
    </EmptyState>
  )
}

/** An unknown address outside of every layout. */
export function NothingHere() {
  return (
    <main className="grid min-h-dvh place-content-center">
      <h1 className="sr-only">Not found</h1>
      <RouteMissing />
    </main>
  )
}

const AGAIN_MS = 3000

/** A restart or a lost connection passes by itself, so retry without asking the user to press a button. */
function isTransient(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500)
}

export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  function retry(): void {
    reset()
    void router.invalidate()
  }
  useEffect(() => {
    if (!isTransient(error)) return undefined
    const timer = setTimeout(retry, AGAIN_MS)
    return () => clearTimeout(timer)
  }, [error])
  return <ErrorState page error={error instanceof Error ? error : new Error(String(error))} onRetry={retry} />
}

/** Shown without the shell, which may be what failed. */
export function NothingWorks(props: ErrorComponentProps) {
  return (
    <main className="grid min-h-dvh place-content-center">
      <RouteError {...props} />
    </main>
  )
}

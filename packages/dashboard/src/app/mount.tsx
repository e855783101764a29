import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Toasts } from '../components/toast.tsx'
import { me } from '../features/session/queries.ts'
import { onLogout } from '../lib/logout-signal.ts'
import { paths } from '../paths.ts'
import { createQueries } from './query-client.ts'
import { createDashboardRouter } from './router.tsx'

const OPEN_PAGES: readonly string[] = [paths.login(), paths.setup(), paths.join()]

/** Renders the dashboard into an element. The returned function removes it. */
export function mountDashboard(element: Element): () => void {
  const client = createQueries(() => {
    const here = router.state.location
    if (OPEN_PAGES.includes(here.pathname)) return
    void router.navigate({ to: paths.login(), search: { next: here.href }, replace: true })
  })
  const router = createDashboardRouter(client)
  const stopListening = onLogout(() => void client.invalidateQueries({ queryKey: me.queryKey }))
  const root = createRoot(element)
  root.render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  )
  return () => {
    stopListening()
    root.unmount()
    client.clear()
  }
}

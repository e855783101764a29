import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Toasts } from '../components/toast.tsx'
import { paths } from '../paths.ts'
import { createQueries } from './query-client.ts'
import { createDashboardRouter } from './router.tsx'

/** Renders the dashboard into an element. The returned function removes it. */
export function mountDashboard(element: Element): () => void {
  const client = createQueries(() => {
    const here = router.state.location
    if (here.pathname === paths.login() || here.pathname === paths.setup()) return
    void router.navigate({ to: paths.login(), search: { next: here.href }, replace: true })
  })
  const router = createDashboardRouter(client)
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
    root.unmount()
    client.clear()
  }
}

import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueries } from './app/query-client.ts'
import { createDashboardRouter } from './app/router.tsx'
import { Toasts } from './components/toast.tsx'
import { applyTheme, currentTheme } from './lib/theme.ts'
import { paths } from './paths.ts'
import './styles.css'

applyTheme(currentTheme())

const client = createQueries(() => {
  const here = router.state.location
  if (here.pathname === paths.login() || here.pathname === paths.setup()) return
  void router.navigate({ to: paths.login(), search: { next: here.href }, replace: true })
})
const router = createDashboardRouter(client)

const root = document.getElementById('root')
if (!root) throw new Error('the page has no element "root"')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
)

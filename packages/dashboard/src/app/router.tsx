import { ApiError } from '@berth/contract'
import type { QueryClient } from '@tanstack/react-query'
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  notFound,
  Outlet,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router'
import { me } from '../features/session/queries.ts'
import { paths } from '../paths.ts'
import { pages } from './pages.ts'
import { BootPending, NothingHere, NothingWorks, RouteError, RouteMissing, RoutePending } from './route-states.tsx'
import { Shell } from './shell.tsx'

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  pendingComponent: BootPending,
  notFoundComponent: NothingHere,
  errorComponent: NothingWorks,
})

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  pendingComponent: BootPending,
  errorComponent: NothingWorks,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.client.ensureQueryData(me)
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.status !== 401) throw cause
      redirect({ to: paths.login(), search: location.href === '/' ? {} : { next: location.href }, throw: true })
    }
  },
})

/** Anything but a positive whole number cannot be an id, so there is no need to ask the server. */
function requireIds({ params }: { params: object }): void {
  for (const id of Object.values(params)) if (!/^[1-9]\d{0,14}$/.test(String(id))) notFound({ throw: true })
}

/** Routes below `parent`, from their paths. */
function below(parent: AnyRoute, components: Record<string, RouteComponent>): AnyRoute[] {
  const pendingComponent = parent === root ? BootPending : RoutePending
  return Object.entries(components).map(([path, component]) =>
    createRoute({ getParentRoute: () => parent, path, component, pendingComponent }),
  )
}

const account = createRoute({ getParentRoute: () => shell, path: '/account', component: pages.account, beforeLoad: requireIds })
const project = createRoute({ getParentRoute: () => shell, path: '/projects/$projectId', component: pages.project, beforeLoad: requireIds })
const app = createRoute({ getParentRoute: () => shell, path: '/apps/$appId', component: pages.app, beforeLoad: requireIds })
const admin = createRoute({ getParentRoute: () => shell, path: '/admin', component: pages.admin })

const tree = root.addChildren([
  ...below(root, { '/login': pages.login, '/setup': pages.setup, '/join': pages.join, '/docs': pages.apiDocs }),
  shell.addChildren([
    ...below(shell, {
      '/': pages.overview,
      '/projects': pages.projects,
      '/projects/$projectId/new': pages.newApp,
      '/apps': pages.apps,
      '/templates': pages.templates,
    }),
    account.addChildren(
      below(account, {
        '/': pages.accountProfile,
        '/git': pages.accountGit,
        '/git/$accountId': pages.gitAccount,
        '/registries': pages.accountRegistries,
      }),
    ),
    project.addChildren(
      below(project, {
        '/': pages.projectApps,
        '/variables': pages.projectVariables,
        '/members': pages.projectMembers,
        '/git': pages.projectGit,
        '/git/$accountId': pages.gitAccount,
        '/registries': pages.projectRegistries,
        '/settings': pages.projectSettings,
      }),
    ),
    app.addChildren(
      below(app, {
        '/': pages.appOverview,
        '/services': pages.services,
        '/deployments': pages.deployments,
        '/deployments/$deploymentId': pages.deployment,
        '/compare': pages.compare,
        '/logs': pages.logs,
        '/environment': pages.environment,
        '/storage': pages.storage,
        '/domains': pages.domains,
        '/webhooks': pages.webhooks,
        '/settings': pages.appSettings,
        '/danger': pages.appDanger,
      }),
    ),
    admin.addChildren(
      below(admin, {
        '/users': pages.users,
        '/settings': pages.settings,
        '/servers': pages.servers,
        '/audit': pages.audit,
        '/health': pages.health,
      }),
    ),
  ]),
])

export function createDashboardRouter(client: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { client },
    defaultPreload: 'intent',
    defaultPendingComponent: RoutePending,
    defaultErrorComponent: RouteError,
    defaultNotFoundComponent: RouteMissing,
    scrollRestoration: true,
  })
}

import { lazyRouteComponent } from '@tanstack/react-router'
import { loadAgain } from './load-again.ts'

/** A chunk that does not arrive is asked for again while the rest of the page stays. */
function page<Module extends Record<string, unknown>, Name extends keyof Module & string>(load: () => Promise<Module>, name: Name) {
  return lazyRouteComponent(() => loadAgain(load), name)
}

/** Every page, each in its own chunk that is loaded on first use. */
export const pages = {
  login: page(() => import('../features/session/login-page.tsx'), 'LoginPage'),
  setup: page(() => import('../features/session/setup-page.tsx'), 'SetupPage'),
  join: page(() => import('../features/session/join-page.tsx'), 'JoinPage'),
  account: page(() => import('../features/session/account-layout.tsx'), 'AccountLayout'),
  accountProfile: page(() => import('../features/session/account-page.tsx'), 'AccountPage'),
  accountGit: page(() => import('../features/git/git-pages.tsx'), 'AccountGitPage'),
  accountRegistries: page(() => import('../features/registries/registries-pages.tsx'), 'AccountRegistriesPage'),
  gitAccount: page(() => import('../features/git/git-account-page.tsx'), 'GitAccountPage'),
  overview: page(() => import('../features/overview/overview-page.tsx'), 'OverviewPage'),

  projects: page(() => import('../features/projects/projects-page.tsx'), 'ProjectsPage'),
  project: page(() => import('../features/projects/project-layout.tsx'), 'ProjectLayout'),
  projectApps: page(() => import('../features/projects/project-apps.tsx'), 'ProjectApps'),
  projectMembers: page(() => import('../features/projects/project-members.tsx'), 'ProjectMembers'),
  projectVariables: page(() => import('../features/environment/project-variables-page.tsx'), 'ProjectVariablesPage'),
  projectGit: page(() => import('../features/git/git-pages.tsx'), 'ProjectGitPage'),
  projectRegistries: page(() => import('../features/registries/registries-pages.tsx'), 'ProjectRegistriesPage'),
  projectSettings: page(() => import('../features/projects/project-settings.tsx'), 'ProjectSettings'),
  newApp: page(() => import('../features/new-app/new-app-page.tsx'), 'NewAppPage'),

  apps: page(() => import('../features/apps/apps-page.tsx'), 'AppsPage'),
  app: page(() => import('../features/apps/app-layout.tsx'), 'AppLayout'),
  appOverview: page(() => import('../features/apps/app-overview.tsx'), 'AppOverview'),
  services: page(() => import('../features/stacks/services-page.tsx'), 'ServicesPage'),
  deployments: page(() => import('../features/deployments/deployments-page.tsx'), 'DeploymentsPage'),
  deployment: page(() => import('../features/deployments/deployment-page.tsx'), 'DeploymentPage'),
  compare: page(() => import('../features/deployments/compare-page.tsx'), 'ComparePage'),
  logs: page(() => import('../features/logs/logs-page.tsx'), 'LogsPage'),
  environment: page(() => import('../features/environment/environment-page.tsx'), 'EnvironmentPage'),
  storage: page(() => import('../features/apps/storage-page.tsx'), 'StoragePage'),
  domains: page(() => import('../features/domains/domains-page.tsx'), 'DomainsPage'),
  webhooks: page(() => import('../features/git/app-webhooks-page.tsx'), 'AppWebhooksPage'),
  appSettings: page(() => import('../features/apps/app-settings.tsx'), 'AppSettings'),
  appDanger: page(() => import('../features/apps/app-danger.tsx'), 'AppDanger'),

  admin: page(() => import('./admin-layout.tsx'), 'AdminLayout'),
  users: page(() => import('../features/users/users-page.tsx'), 'UsersPage'),
  templates: page(() => import('../features/templates/templates-page.tsx'), 'TemplatesPage'),
  settings: page(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
  servers: page(() => import('../features/servers/servers-page.tsx'), 'ServersPage'),
  audit: page(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
  apiDocs: page(() => import('../features/api-docs/docs-page.tsx'), 'DocsPage'),
  health: page(() => import('../features/health/health-page.tsx'), 'HealthPage'),
} as const

import { lazyRouteComponent } from '@tanstack/react-router'

/** Every page, each in its own chunk that is loaded on first use. */
export const pages = {
  login: lazyRouteComponent(() => import('../features/session/login-page.tsx'), 'LoginPage'),
  setup: lazyRouteComponent(() => import('../features/session/setup-page.tsx'), 'SetupPage'),
  account: lazyRouteComponent(() => import('../features/session/account-page.tsx'), 'AccountPage'),
  overview: lazyRouteComponent(() => import('../features/overview/overview-page.tsx'), 'OverviewPage'),

  projects: lazyRouteComponent(() => import('../features/projects/projects-page.tsx'), 'ProjectsPage'),
  project: lazyRouteComponent(() => import('../features/projects/project-layout.tsx'), 'ProjectLayout'),
  projectApps: lazyRouteComponent(() => import('../features/projects/project-apps.tsx'), 'ProjectApps'),
  projectMembers: lazyRouteComponent(() => import('../features/projects/project-members.tsx'), 'ProjectMembers'),
  projectVariables: lazyRouteComponent(() => import('../features/environment/project-variables-page.tsx'), 'ProjectVariablesPage'),
  projectSettings: lazyRouteComponent(() => import('../features/projects/project-settings.tsx'), 'ProjectSettings'),
  newApp: lazyRouteComponent(() => import('../features/new-app/new-app-page.tsx'), 'NewAppPage'),

  apps: lazyRouteComponent(() => import('../features/apps/apps-page.tsx'), 'AppsPage'),
  app: lazyRouteComponent(() => import('../features/apps/app-layout.tsx'), 'AppLayout'),
  appOverview: lazyRouteComponent(() => import('../features/apps/app-overview.tsx'), 'AppOverview'),
  deployments: lazyRouteComponent(() => import('../features/deployments/deployments-page.tsx'), 'DeploymentsPage'),
  deployment: lazyRouteComponent(() => import('../features/deployments/deployment-page.tsx'), 'DeploymentPage'),
  compare: lazyRouteComponent(() => import('../features/deployments/compare-page.tsx'), 'ComparePage'),
  logs: lazyRouteComponent(() => import('../features/logs/logs-page.tsx'), 'LogsPage'),
  environment: lazyRouteComponent(() => import('../features/environment/environment-page.tsx'), 'EnvironmentPage'),
  domains: lazyRouteComponent(() => import('../features/domains/domains-page.tsx'), 'DomainsPage'),
  appSettings: lazyRouteComponent(() => import('../features/apps/app-settings.tsx'), 'AppSettings'),
  appDanger: lazyRouteComponent(() => import('../features/apps/app-danger.tsx'), 'AppDanger'),

  admin: lazyRouteComponent(() => import('./admin-layout.tsx'), 'AdminLayout'),
  users: lazyRouteComponent(() => import('../features/users/users-page.tsx'), 'UsersPage'),
  templates: lazyRouteComponent(() => import('../features/templates/templates-page.tsx'), 'TemplatesPage'),
  settings: lazyRouteComponent(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
  audit: lazyRouteComponent(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
  apiDocs: lazyRouteComponent(() => import('../features/api-docs/docs-page.tsx'), 'DocsPage'),
  health: lazyRouteComponent(() => import('../features/health/health-page.tsx'), 'HealthPage'),
} as const

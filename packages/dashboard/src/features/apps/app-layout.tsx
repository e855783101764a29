import { type Application, shownStatus } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useIdParam } from '../../lib/route-state.ts'
import { APP_LOOK, TYPE_WORDS } from '../../lib/status.ts'
import { paths } from '../../paths.ts'
import { hasDomains, hasStorage } from '../../shared/use-app.ts'
import { projects } from '../projects/queries.ts'
import { AppActions } from './app-actions.tsx'
import { app } from './queries.ts'

export function AppLayout() {
  const appId = useIdParam('appId')
  return (
    // A different app is a different page: typed text and scroll position must not carry over.
    <QueryView key={appId} page query={useQuery(app(appId))}>
      {(found) => (
        <>
          <AppHeader app={found} />
          <Outlet />
        </>
      )}
    </QueryView>
  )
}

function AppHeader({ app: found }: { app: Application }) {
  const { id, name, project_id, app_type, template_name } = found
  const { data: projectList } = useQuery(projects)
  const projectName = projectList?.find((each) => each.id === project_id)?.name ?? 'Project'
  const tabs = [
    { label: 'Overview', to: paths.app(id), exact: true },
    ...(app_type === 'compose' ? [{ label: 'Services', to: paths.services(id) }] : []),
    { label: 'Deployments', to: paths.deployments(id), also: paths.compare(id) },
    { label: 'Logs', to: paths.logs(id) },
    { label: 'Environment', to: paths.environment(id) },
    ...(hasStorage(found) ? [{ label: 'Storage', to: paths.storage(id) }] : []),
    ...(hasDomains(found) ? [{ label: 'Domains', to: paths.domains(id) }] : []),
    ...(app_type === 'database' ? [] : [{ label: 'Webhooks', to: paths.webhooks(id) }]),
    { label: 'Settings', to: paths.appSettings(id) },
    { label: 'Danger', to: paths.appDanger(id) },
  ]
  return (
    <>
      <PageHeader
        title={name}
        crumbs={[
          { label: 'Projects', to: paths.projects() },
          { label: projectName, to: paths.project(project_id) },
        ]}
        beside={<Badge look={APP_LOOK[shownStatus(found)]} />}
        note={template_name === '' ? TYPE_WORDS[app_type].label : `${TYPE_WORDS[app_type].label} · ${template_name}`}
        actions={<AppActions app={found} />}
      />
      <Tabs label="App" tabs={tabs} />
    </>
  )
}

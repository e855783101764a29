import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { Tag } from '../../components/badge.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useIdParam } from '../../lib/route-state.ts'
import { paths } from '../../paths.ts'
import { project, tagsOf } from './queries.ts'

export function ProjectLayout() {
  const projectId = useIdParam('projectId')
  const query = useQuery(project(projectId))
  return (
    <QueryView page query={query}>
      {({ name, description, tags }) => (
        <>
          <PageHeader
            title={name}
            crumbs={[{ label: 'Projects', to: paths.projects() }]}
            beside={tagsOf(tags).map((tag) => <Tag key={tag}>{tag}</Tag>)}
            note={description}
            actions={
              <ButtonLink kind="primary" icon="plus" to={paths.newApp(projectId)}>
                New app
              </ButtonLink>
            }
          />
          <Tabs
            label="Project"
            tabs={[
              { label: 'Apps', to: paths.project(projectId), exact: true },
              { label: 'Variables', to: paths.projectVariables(projectId) },
              { label: 'Members', to: paths.projectMembers(projectId) },
              { label: 'Git', to: paths.projectGit(projectId) },
              { label: 'Registries', to: paths.projectRegistries(projectId) },
              { label: 'Settings', to: paths.projectSettings(projectId) },
            ]}
          />
          <Outlet />
        </>
      )}
    </QueryView>
  )
}

import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { paths } from '../../paths.ts'
import { AppFilter, useAppFilter } from '../../shared/app-filter.tsx'
import { AppList } from '../../shared/app-list.tsx'
import { projects } from '../projects/queries.ts'
import { NewAppButton } from './new-app-button.tsx'
import { apps } from './queries.ts'

export function AppsPage() {
  const query = useQuery(apps)
  const { data: projectList } = useQuery(projects)
  const filter = useAppFilter()
  return (
    <>
      <PageHeader title="Apps" note="All apps you have access to." actions={<NewAppButton />} />
      <AppFilter filter={filter} />
      <Card flush>
        <QueryView
          query={query}
          empty={
            <EmptyState icon="app" title="No apps yet" action={<ButtonLink to={paths.projects()}>Go to projects</ButtonLink>}>
              Apps belong to a project. Open or create a project, then add an app.
            </EmptyState>
          }
        >
          {(all) => {
            const found = all.filter(filter.matches)
            return found.length === 0 ? (
              <EmptyState icon="search" title="No matching apps" />
            ) : (
              <AppList apps={found} projects={projectList ?? []} />
            )
          }}
        </QueryView>
      </Card>
    </>
  )
}

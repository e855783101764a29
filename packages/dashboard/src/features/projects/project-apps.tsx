import { ButtonLink } from '../../components/button.tsx'
import { EmptyState } from '../../components/states.tsx'
import { paths } from '../../paths.ts'
import { AppCard } from '../../shared/app-card.tsx'
import { AppFilter, useAppFilter } from '../../shared/app-filter.tsx'
import { useProject } from './use-project.ts'

/** With fewer apps, all of them are in view. */
const FILTER_FROM = 7

export function ProjectApps() {
  const { id, applications } = useProject()
  const filter = useAppFilter()
  if (applications.length === 0)
    return (
      <EmptyState
        icon="app"
        title="No apps in this project yet"
        action={
          <ButtonLink kind="primary" icon="plus" to={paths.newApp(id)}>
            New app
          </ButtonLink>
        }
      >
        A web app, a background service, a database or a Compose file.
      </EmptyState>
    )
  const found = applications.filter(filter.matches)
  return (
    <>
      {(applications.length >= FILTER_FROM || found.length < applications.length) && <AppFilter filter={filter} />}
      {found.length === 0 && <EmptyState icon="search" title="No matching apps" />}
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {found.map((app) => (
          <AppCard key={app.id} app={app} />
        ))}
      </ul>
    </>
  )
}

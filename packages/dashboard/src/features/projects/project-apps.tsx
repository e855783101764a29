import { ButtonLink } from '../../components/button.tsx'
import { EmptyState } from '../../components/states.tsx'
import { paths } from '../../paths.ts'
import { AppCard } from '../../shared/app-card.tsx'
import { useProject } from './use-project.ts'

export function ProjectApps() {
  const { id, applications } = useProject()
  if (applications.length === 0)
    return (
      <EmptyState
        icon="app"
        title="No apps in this project yet"
        action={
          <ButtonLink kind="primary" icon="plus" to={paths.newApp(id)}>
            Add app
          </ButtonLink>
        }
      >
        A web app, a background service, a database or a Compose file.
      </EmptyState>
    )
  return (
    <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {applications.map((app) => (
        <AppCard key={app.id} app={app} />
      ))}
    </ul>
  )
}

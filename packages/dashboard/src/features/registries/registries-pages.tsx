import { useIdParam } from '../../lib/route-state.ts'
import { useMe } from '../session/queries.ts'
import { RegistriesCard } from './registries-card.tsx'

export function AccountRegistriesPage() {
  const person = useMe()
  return (
    <div className="grid max-w-3xl gap-4">
      <RegistriesCard
        projectId={null}
        note="Used to pull the images you choose, in every project you belong to."
        belongs={({ projectId, ownerId }) => projectId === null && ownerId === person.id}
      />
    </div>
  )
}

export function ProjectRegistriesPage() {
  const own = useIdParam('projectId')
  return (
    <div className="grid max-w-3xl gap-4">
      <RegistriesCard
        projectId={own}
        note="Used to pull images for all apps in this project, including base images and those in Compose files."
        belongs={({ projectId }) => projectId === own}
      />
    </div>
  )
}

import { useIdParam } from '../../lib/route-state.ts'
import { useMe } from '../session/queries.ts'
import { RegistriesCard } from './registries-card.tsx'

export function AccountRegistriesPage() {
  const person = useMe()
  return (
    <div className="grid max-w-3xl gap-4">
      <RegistriesCard
        projectId={null}
        note="Used for the images that you choose, in every project you belong to."
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
        note="Used for the images of all apps of this project, also as base images and in compose files."
        belongs={({ projectId }) => projectId === own}
      />
    </div>
  )
}

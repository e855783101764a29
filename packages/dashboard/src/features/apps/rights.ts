import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { project } from '../projects/queries.ts'
import { isAdmin, useMe } from '../session/queries.ts'

/** Who may change an app and who may delete it, in the same words on every page. The server decides. */
export function useAppRights(app: Application) {
  const person = useMe()
  const { data: home, isPending } = useQuery(project(app.project_id))
  const owner = home?.members.find(({ id }) => id === app.created_by)
  const mayEdit = app.created_by === person.id
  const maySteward = mayEdit || home?.ownerId === person.id || isAdmin(person)
  const ownerWords = owner ? ` (${owner.email})` : ''
  return {
    home,
    isPending,
    mayEdit,
    maySteward,
    whyNotEdit: `Only the owner of this app${ownerWords} can change its settings. ${
      maySteward
        ? 'To change them, transfer the app to yourself on the Danger page.'
        : 'Members can deploy it and change its environment and domains.'
    }`,
    whyNotDelete: `Only the owner of this app${ownerWords}, the project owner and admins can transfer or delete it.`,
  }
}

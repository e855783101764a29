import type { GitAccount } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { project } from '../projects/queries.ts'
import { useMe } from '../session/queries.ts'

/** Who may use an account and who may remove it. The server decides. */
export function useAccountRights({ projectId, ownerId }: Pick<GitAccount, 'projectId' | 'ownerId'>) {
  const person = useMe()
  const { data: home } = useQuery({ ...project(projectId ?? 0), enabled: projectId !== null })
  const mayUse = projectId === null ? ownerId === person.id : (home?.members.some(({ id }) => id === person.id) ?? false)
  const mayRemove = mayUse && (ownerId === person.id || home?.ownerId === person.id)
  return { mayUse, mayRemove, connectedBy: home?.members.find(({ id }) => id === ownerId)?.email }
}

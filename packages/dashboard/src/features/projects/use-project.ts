import type { ProjectDetails } from '@berth/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useIdParam } from '../../lib/route-state.ts'
import { isAdmin, useMe } from '../session/queries.ts'
import { project } from './queries.ts'

/** The project in the URL; its layout has loaded it. */
export function useProject(): ProjectDetails {
  return useSuspenseQuery(project(useIdParam('projectId'))).data
}

export function useMayManage({ ownerId }: { ownerId: number }): boolean {
  const person = useMe()
  return person.id === ownerId || isAdmin(person)
}

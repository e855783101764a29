import type { AuditEntry } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { apps } from '../apps/queries.ts'
import { projects } from '../projects/queries.ts'
import { users } from '../users/queries.ts'

type Subject = Pick<AuditEntry, 'subject' | 'subjectId'>

/** Names of subjects that still exist; deleted ones are shown by number. */
export function useSubjectNames(): (entry: Subject) => string {
  const { data: appList = [] } = useQuery(apps)
  const { data: projectList = [] } = useQuery(projects)
  const { data: userList = [] } = useQuery(users)
  const names: Record<string, string> = {
    ...Object.fromEntries(appList.map(({ id, name }) => [`app ${id}`, name])),
    ...Object.fromEntries(projectList.map(({ id, name }) => [`project ${id}`, name])),
    ...Object.fromEntries(userList.map(({ id, email }) => [`user ${id}`, email])),
  }
  return ({ subject, subjectId }) => (subjectId === null ? '' : (names[`${subject} ${subjectId}`] ?? `${subject} #${subjectId}`))
}

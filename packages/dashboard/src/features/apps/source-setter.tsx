import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { CheckField } from '../../components/field.tsx'
import { project } from '../projects/queries.ts'
import { isAdmin, useMe } from '../session/queries.ts'

type Props = { app: Application; inMyName: boolean; onInMyName: (inMyName: boolean) => void; disabled: boolean }

/** Who set the clone URL. Only URLs set by an admin may use private addresses, so an admin can set the same one again. */
export function SourceSetter({ app, inMyName, onInMyName, disabled }: Props) {
  const person = useMe()
  const { data: home } = useQuery(project(app.project_id))
  if (app.git_clone_url === '' || app.source_set_by === person.id || !home) return undefined
  const setter = home.members.find(({ id }) => id === app.source_set_by)
  return (
    <div className="grid gap-2 text-[13px] text-ink-soft">
      <p>The clone URL was set by {setter?.email ?? 'someone who is not a member of this project'}.</p>
      {isAdmin(person) && !disabled && (
        <CheckField label="Set it again as me. As an admin, I can use private addresses." checked={inMyName} onCheck={onInMyName} />
      )}
    </div>
  )
}

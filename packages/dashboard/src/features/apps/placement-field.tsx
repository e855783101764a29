import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { SelectField } from '../../components/field.tsx'
import type { FormFields } from '../../lib/use-form.ts'
import { servers } from '../servers/queries.ts'
import { isAdmin, useMe } from '../session/queries.ts'
import { placementOptions } from './placement-options.ts'
import type { SettingsValues } from './settings-values.ts'

/** Only where there are several servers, or were when it was set. Members may not list them. */
export function PlacementField({ app, form }: { app: Application; form: FormFields<SettingsValues> }) {
  const mayList = isAdmin(useMe())
  const { data } = useQuery({ ...servers, enabled: mayList, refetchInterval: false })
  if (data?.isSwarm !== true && app.placement === '') return null
  return (
    <SelectField
      label="Placement"
      hint="Where it may run. An app with volumes needs one server; once it has data there, it is moved below."
      options={placementOptions(data?.servers ?? [], app.placement)}
      {...form.choice('placement')}
    />
  )
}

import { Notice } from '../../components/notice.tsx'
import { useApp } from '../../shared/use-app.ts'
import { useMe } from '../session/queries.ts'
import { GeneralCard } from './general-card.tsx'
import { RuntimeCard } from './runtime-card.tsx'
import { SourceCard } from './source-card.tsx'

export function AppSettings() {
  const app = useApp()
  const person = useMe()
  const mayEdit = app.created_by === person.id
  return (
    <div className="grid max-w-3xl gap-4">
      {!mayEdit && <Notice tone="plain">Only the owner of an app can change its settings. An admin can take it over under Danger.</Notice>}
      <fieldset disabled={!mayEdit} className="grid min-w-0 gap-4">
        <legend className="sr-only">Settings of {app.name}</legend>
        <GeneralCard app={app} />
        {app.app_type !== 'database' && <SourceCard app={app} disabled={!mayEdit} />}
        <RuntimeCard app={app} />
      </fieldset>
    </div>
  )
}

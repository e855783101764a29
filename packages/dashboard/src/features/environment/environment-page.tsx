import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { ConnectDialog } from '../../shared/connect-dialog.tsx'
import { DeployNotice } from '../../shared/deploy-notice.tsx'
import { useApp } from '../../shared/use-app.ts'
import { liveDeployment } from '../deployments/queries.ts'
import { AppBulkEditor } from './bulk-editor.tsx'
import { changeWords } from './change-words.ts'
import { environmentChangesOf, environmentOf } from './queries.ts'
import { VariableTable } from './variable-table.tsx'
import { VIEWS } from './views.ts'

export function EnvironmentPage() {
  const app = useApp()
  const { data: live } = useQuery(liveDeployment(app.id))
  const [view, setView] = useSearchState('view')
  const [connecting, setConnecting] = useState(false)
  const { data: since } = useQuery(environmentChangesOf(app.id, live?.id))
  const { changes, problems } = since ?? { changes: [], problems: [] }
  return (
    <QueryView query={useQuery(environmentOf(app.id))}>
      {(variables) => (
        <div className="grid gap-4">
          {changes.length > 0 && (
            <DeployNotice appId={app.id}>
              The environment has changed since the live release: {changeWords(changes)}. Deploy to apply it.
            </DeployNotice>
          )}
          <div className="flex flex-wrap items-center justify-between gap-2">
            <Segmented
              label="Editor"
              value={view === 'text' ? 'text' : 'table'}
              options={VIEWS}
              onPick={(pick) => setView(pick === 'text' ? 'text' : '')}
            />
            {app.app_type !== 'database' && (
              <Button icon="database" onClick={() => setConnecting(true)}>
                Connect a database
              </Button>
            )}
          </div>
          {view === 'text' ? (
            <AppBulkEditor appId={app.id} variables={variables} onDone={() => setView('')} />
          ) : (
            <VariableTable appId={app.id} variables={variables} changes={changes} problems={problems} />
          )}
          {connecting && <ConnectDialog known={app} onClose={() => setConnecting(false)} />}
        </div>
      )}
    </QueryView>
  )
}

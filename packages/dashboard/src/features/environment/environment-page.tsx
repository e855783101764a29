import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { useApp } from '../../shared/use-app.ts'
import { useDeploy } from '../../shared/use-deploy.ts'
import { deploymentsOfApp } from '../deployments/queries.ts'
import { BulkEditor } from './bulk-editor.tsx'
import { changeWords } from './changed-since.ts'
import { environmentChangesOf, environmentOf } from './queries.ts'
import { VariableTable } from './variable-table.tsx'

const VIEWS = [
  { value: 'table', label: 'Table' },
  { value: 'text', label: 'Edit as .env' },
] as const

export function EnvironmentPage() {
  const app = useApp()
  const { data: history } = useQuery(deploymentsOfApp(app.id))
  const deploy = useDeploy()
  const [view, setView] = useSearchState('view')
  const live = history?.find(({ is_active }) => is_active)
  const { data: since } = useQuery(environmentChangesOf(app.id, live?.id))
  const changes = since?.changes ?? []
  return (
    <QueryView query={useQuery(environmentOf(app.id))}>
      {(variables) => (
        <div className="grid gap-4">
          {changes.length > 0 && (
            <Notice
              tone="warn"
              actions={
                <Button pending={deploy.isPending} onClick={() => deploy.mutate(app.id)}>
                  Deploy now
                </Button>
              }
            >
              The environment has changed since the live release: {changeWords(changes)}. Deploy to apply it.
            </Notice>
          )}
          <div>
            <Segmented
              label="Editor"
              value={view === 'text' ? 'text' : 'table'}
              options={VIEWS}
              onPick={(pick) => setView(pick === 'text' ? 'text' : '')}
            />
          </div>
          {view === 'text' ? (
            <BulkEditor appId={app.id} variables={variables} onDone={() => setView('')} />
          ) : (
            <VariableTable appId={app.id} variables={variables} changes={changes} />
          )}
        </div>
      )}
    </QueryView>
  )
}

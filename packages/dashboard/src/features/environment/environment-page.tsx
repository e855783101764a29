import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { plural } from '../../lib/sizes.ts'
import { useDeploy } from '../apps/actions.ts'
import { useApp } from '../apps/use-app.ts'
import { deploymentsOfApp } from '../deployments/queries.ts'
import { BulkEditor } from './bulk-editor.tsx'
import { changedSince } from './changed-since.ts'
import { environmentOf } from './queries.ts'
import { VariableTable } from './variable-table.tsx'

const VIEWS = [
  { value: 'table', label: 'Table' },
  { value: 'text', label: 'As .env text' },
] as const

export function EnvironmentPage() {
  const app = useApp()
  const { data: history } = useQuery(deploymentsOfApp(app.id))
  const deploy = useDeploy()
  const [view, setView] = useSearchState('view')
  const live = history?.find(({ is_active }) => is_active)
  return (
    <QueryView query={useQuery(environmentOf(app.id))}>
      {(variables) => {
        const changed = changedSince(variables, live)
        return (
          <div className="grid gap-4">
            {changed.size > 0 && (
              <Notice
                tone="warn"
                actions={
                  <Button pending={deploy.isPending} onClick={() => deploy.mutate(app.id)}>
                    Deploy now
                  </Button>
                }
              >
                {plural(changed.size, 'variable')} changed since the live release was deployed. The app sees it with the next deployment.
              </Notice>
            )}
            <div>
              <Segmented
                label="How to edit"
                value={view === 'text' ? 'text' : 'table'}
                options={VIEWS}
                onPick={(pick) => setView(pick === 'text' ? 'text' : '')}
              />
            </div>
            {view === 'text' ? (
              <BulkEditor appId={app.id} variables={variables} onDone={() => setView('')} />
            ) : (
              <VariableTable appId={app.id} variables={variables} changed={changed} />
            )}
          </div>
        )
      }}
    </QueryView>
  )
}

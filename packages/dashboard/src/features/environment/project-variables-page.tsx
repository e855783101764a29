import type { ProjectVariable } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { useIdParam, useSearchState } from '../../lib/route-state.ts'
import { ProjectBulkEditor } from './bulk-editor.tsx'
import { AddProjectVariable, EditProjectVariable, RemoveProjectVariable } from './project-variable-forms.tsx'
import { variablesOfProject } from './queries.ts'
import { VariableList } from './variable-list.tsx'
import { VIEWS } from './views.ts'

export function ProjectVariablesPage() {
  const projectId = useIdParam('projectId')
  const [view, setView] = useSearchState('view')
  return (
    <QueryView query={useQuery(variablesOfProject(projectId))}>
      {(variables) => (
        <div className="grid gap-4">
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p className="text-sm text-ink-soft">
              Apps of this project use them in their own variables as <code className="font-mono text-[13px]">{'${{project.NAME}}'}</code>.
            </p>
            <Segmented
              label="Editor"
              value={view === 'text' ? 'text' : 'table'}
              options={VIEWS}
              onPick={(pick) => setView(pick === 'text' ? 'text' : '')}
            />
          </div>
          {view === 'text' ? (
            <ProjectBulkEditor projectId={projectId} variables={variables} onDone={() => setView('')} />
          ) : (
            <ProjectVariableTable projectId={projectId} variables={variables} />
          )}
        </div>
      )}
    </QueryView>
  )
}

function ProjectVariableTable({ projectId, variables }: { projectId: number; variables: readonly ProjectVariable[] }) {
  const [editing, setEditing] = useState<ProjectVariable>()
  const [removing, setRemoving] = useState<ProjectVariable>()
  return (
    <>
      <Card title="Add variable">
        <AddProjectVariable projectId={projectId} variables={variables} />
      </Card>
      <VariableList variables={variables} empty="Keep a value here that several apps need." onEdit={setEditing} onRemove={setRemoving} />
      {editing && <EditProjectVariable variable={editing} variables={variables} onClose={() => setEditing(undefined)} />}
      {removing && <RemoveProjectVariable variable={removing} variables={variables} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

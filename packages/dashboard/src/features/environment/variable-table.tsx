import type { EnvChanges, EnvVariable } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { environmentKeys } from './queries.ts'
import { AddVariable, EditVariable } from './variable-forms.tsx'
import { VariableList } from './variable-list.tsx'

type Props = { appId: number; variables: readonly EnvVariable[] } & Pick<EnvChanges, 'changes' | 'problems'>

export function VariableTable({ appId, variables, changes, problems }: Props) {
  const [editing, setEditing] = useState<EnvVariable>()
  const [removing, setRemoving] = useState<EnvVariable>()
  return (
    <>
      <Card title="Add variable">
        <AddVariable appId={appId} />
      </Card>
      <VariableList
        variables={variables}
        changes={changes}
        problems={problems}
        empty="Your app gets them when it starts. Builds never see them."
        onEdit={setEditing}
        onRemove={setRemoving}
      />
      {editing && <EditVariable variable={editing} onClose={() => setEditing(undefined)} />}
      {removing && <RemoveVariable variable={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

/** Removes the row immediately and restores it if the server refuses. */
function RemoveVariable({ variable, onClose }: { variable: EnvVariable; onClose: () => void }) {
  const client = useQueryClient()
  const queryKey = environmentKeys.ofApp(variable.appId)
  const remove = useMutation({
    mutationFn: () => call('envs.delete', { id: variable.id }),
    onMutate: async () => {
      onClose()
      await client.cancelQueries({ queryKey }) // an answer on its way would bring the row back for a moment
      client.setQueryData<EnvVariable[]>(queryKey, (list) => list?.filter(({ id }) => id !== variable.id))
    },
    onSuccess: () => toast(`${variable.key} removed.`),
    onError: (error) => toast(error.message, 'bad'),
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
  return (
    <ConfirmDialog
      title={`Remove ${variable.key}?`}
      action="Remove"
      pending={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>The running app keeps it until the next deployment.</p>
    </ConfirmDialog>
  )
}

import type { EnvVariable } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Secret } from '../../components/secret.tsx'
import { EmptyState } from '../../components/states.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import type { Look } from '../../lib/status.ts'
import type { KeyChange } from './changed-since.ts'
import { environmentKeys } from './queries.ts'
import { AddVariable, EditVariable } from './variable-forms.tsx'

type Props = { appId: number; variables: readonly EnvVariable[]; changes: readonly KeyChange[] }

const LOOK = {
  added: { label: 'Added', tone: 'good' },
  changed: { label: 'Changed', tone: 'warn' },
  removed: { label: 'Removed', tone: 'bad' },
} as const satisfies Record<KeyChange['is'], Look>

export function VariableTable({ appId, variables, changes }: Props) {
  const [editing, setEditing] = useState<EnvVariable>()
  const [removing, setRemoving] = useState<EnvVariable>()
  const changeOf = new Map(changes.map(({ key, is }) => [key, is]))
  const removed = changes.filter(({ key, is }) => is === 'removed' && variables.every((variable) => variable.key !== key))
  return (
    <>
      <Card title="Add variable">
        <AddVariable appId={appId} />
      </Card>
      <Card flush>
        {variables.length === 0 && removed.length === 0 ? (
          <EmptyState icon="gear" title="No variables yet">
            Your app gets them when it starts. Builds never see them.
          </EmptyState>
        ) : (
          <ul className="divide-y divide-line">
            {variables.map((variable) => (
              <li
                key={variable.id}
                className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-3 text-sm sm:grid-cols-[minmax(0,16rem)_minmax(0,1fr)_8rem_auto]"
              >
                <span className="flex min-w-0 items-center gap-2">
                  <code className="truncate font-mono text-[13px] font-medium" title={variable.key}>
                    {variable.key}
                  </code>
                  <ChangeBadge is={changeOf.get(variable.key)} />
                </span>
                <span className="col-span-2 row-start-2 min-w-0 sm:col-span-1 sm:row-start-auto">
                  <Secret value={variable.value} label={variable.key} />
                </span>
                <span className="hidden text-[13px] text-ink-soft sm:block">
                  <RelativeTime at={variable.updatedAt} />
                </span>
                <span className="-my-2 flex">
                  <IconButton icon="edit" label={`Edit ${variable.key}`} onClick={() => setEditing(variable)} />
                  <IconButton icon="trash" label={`Remove ${variable.key}`} onClick={() => setRemoving(variable)} />
                </span>
              </li>
            ))}
            {removed.map(({ key }) => (
              <li key={key} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 text-sm">
                <span className="flex min-w-0 items-center gap-2">
                  <code className="truncate font-mono text-[13px] text-ink-soft line-through" title={key}>
                    {key}
                  </code>
                  <ChangeBadge is="removed" />
                </span>
                <span className="text-[13px] text-ink-soft">The live release still has it.</span>
              </li>
            ))}
          </ul>
        )}
      </Card>
      {editing && <EditVariable variable={editing} onClose={() => setEditing(undefined)} />}
      {removing && <RemoveVariable variable={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

function ChangeBadge({ is }: { is: KeyChange['is'] | undefined }) {
  return is && <Badge look={LOOK[is]} />
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

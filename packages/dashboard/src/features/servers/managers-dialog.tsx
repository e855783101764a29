import type { Servers } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CheckField } from '../../components/field.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { servers } from './queries.ts'

/** One manager or three. With two, losing either one stops everything. */
export function ManagersDialog({ found, onClose }: { found: Servers; onClose: () => void }) {
  const client = useQueryClient()
  const [picked, setPicked] = useState(() => found.servers.filter(({ role }) => role === 'manager').map(({ id }) => id))
  const save = useMutation({
    mutationFn: () => call('servers.setManagers', { serverIds: picked }),
    onSuccess: (answer) => {
      client.setQueryData(servers.queryKey, answer)
      toast('Managers saved.')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title="Managers"
      action="Save"
      kind="primary"
      disabled={picked.length !== 1 && picked.length !== 3}
      pending={save.isPending}
      failure={save.error?.message}
      onConfirm={() => save.mutate()}
      onClose={onClose}
    >
      <p>Managers hold the state of the cluster; the other servers only run containers.</p>
      <p>
        Choose one server or three. More than half of the managers must be running for deployments: with three, any one of them can fail.
        Two are no gain over one, because both would have to run.
      </p>
      <div className="grid gap-2">
        {found.servers.map(({ id, name, isThis }) => (
          <CheckField
            key={id}
            label={isThis ? `${name} (this server)` : name}
            checked={picked.includes(id)}
            disabled={isThis}
            onCheck={(isPicked) => setPicked(isPicked ? [...picked, id] : picked.filter((each) => each !== id))}
          />
        ))}
      </div>
    </ConfirmDialog>
  )
}

import type { Server } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyText } from '../../components/copy-text.tsx'
import { Dialog, DoneButton } from '../../components/dialog.tsx'
import { call } from '../../lib/api.ts'
import { servers } from './queries.ts'

export function RemoveServer({ server, onClose }: { server: Server; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call('servers.remove', { serverId: server.id }),
    onSuccess: () => client.invalidateQueries({ queryKey: servers.queryKey }),
  })
  if (remove.data)
    return (
      <Dialog title={`${server.name} was removed`} onClose={onClose}>
        <div className="grid gap-4 text-sm">
          <p>Run this on {server.name}, so that it can join again later:</p>
          <CopyText label="Command" text={remove.data.command} />
          <DoneButton onClose={onClose} />
        </div>
      </Dialog>
    )
  return (
    <ConfirmDialog
      title={`Remove ${server.name}?`}
      action="Remove server"
      typed={server.name}
      pending={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>Berth forgets this server. Data in volumes on it stays there.</p>
    </ConfirmDialog>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { servers } from './queries.ts'

export function TurnOff({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const turnOff = useMutation({
    mutationFn: () => call('servers.turnOff'),
    onSuccess: (answer) => {
      client.setQueryData(servers.queryKey, answer)
      toast('Swarm is off.')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title="Switch Swarm off?"
      action="Switch off"
      pending={turnOff.isPending}
      failure={turnOff.error?.message}
      onConfirm={() => turnOff.mutate()}
      onClose={onClose}
    >
      <p>This server is then the only one again, as before. Apps keep running.</p>
    </ConfirmDialog>
  )
}

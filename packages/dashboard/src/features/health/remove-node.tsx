import type { ControlPlane } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { call } from '../../lib/api.ts'
import { nodes } from './queries.ts'

export function RemoveNode({ node: { name }, onClose }: { node: ControlPlane; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call('nodes.remove', { name }),
    onSuccess: (list) => {
      client.setQueryData(nodes.queryKey, list)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      action="Remove node"
      pending={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>Remove it if it will not come back: apps can then use its ports.</p>
    </ConfirmDialog>
  )
}

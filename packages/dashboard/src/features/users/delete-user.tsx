import type { User } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { userKeys } from './queries.ts'

export function DeleteUser({ user, onClose }: { user: User; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call('users.delete', { id: user.id }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: userKeys.list })
      toast(`${user.email} deleted.`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${user.email}?`}
      action="Delete user"
      typed={user.email}
      pending={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>They are logged out immediately. Their projects and apps are transferred to you.</p>
    </ConfirmDialog>
  )
}

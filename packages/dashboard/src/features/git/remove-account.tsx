import type { GitAccount } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { plural } from '../../lib/sizes.ts'
import { paths } from '../../paths.ts'
import { appKeys, apps } from '../apps/queries.ts'
import { gitKeys } from './queries.ts'

/** Says which apps use the account before it is removed. */
export function RemoveAccount({ account, onClose }: { account: GitAccount; onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { data: list = [] } = useQuery(apps)
  const users = list.filter(({ git_provider_id }) => git_provider_id === account.id)
  const hidden = account.apps - users.length
  const remove = useMutation({
    mutationFn: () => call('git.deleteAccount', { id: account.id, force: account.apps > 0 }),
    onSuccess: async () => {
      onClose()
      toast(`${account.name} removed.`)
      await navigate({ to: account.projectId === null ? paths.accountGit() : paths.projectGit(account.projectId) })
      await client.invalidateQueries({ queryKey: gitKeys.accounts })
      await client.invalidateQueries({ queryKey: appKeys.all })
    },
  })
  return (
    <ConfirmDialog
      title={`Remove ${account.name}?`}
      action="Remove"
      pending={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {account.apps === 0 ? (
        <p>No app uses it. Its token is deleted from this server.</p>
      ) : (
        <>
          <p>{plural(account.apps, 'app')} will no longer deploy on push, and cannot be deployed from a private repository any more:</p>
          <ul className="max-h-48 list-disc overflow-y-auto pl-5 font-medium text-ink">
            {users.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
            {hidden > 0 && <li>{plural(hidden, 'app')} of other projects</li>}
          </ul>
          <p>Running containers are not affected.</p>
        </>
      )}
    </ConfirmDialog>
  )
}

import type { GitAccount } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { ConnectAccount } from '../../shared/connect-account.tsx'
import { gitKeys } from './queries.ts'
import { RemoveAccount } from './remove-account.tsx'
import { useAccountRights } from './rights.ts'

/** Checks the account with its host now, and updates the list. */
function useCheck(account: GitAccount) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('git.checkAccount', { id: account.id }),
    onSuccess: (checked) => {
      client.setQueryData<GitAccount[]>(gitKeys.accounts, (list) => list?.map((each) => (each.id === checked.id ? checked : each)))
      if (checked.status === 'ok') toast(`${checked.name} works.`)
      else toast(checked.error, 'bad')
    },
    onError: (error) => toast(error.message, 'bad'),
  })
}

export function AccountActions({ account }: { account: GitAccount }) {
  const { mayUse, mayRemove } = useAccountRights(account)
  const check = useCheck(account)
  const [open, setOpen] = useState<'nothing' | 'token' | 'remove'>('nothing')
  const close = (): void => setOpen('nothing')
  if (!mayUse) return null
  return (
    <>
      {account.via === 'token' && account.status !== 'ok' && (
        <Button kind="primary" onClick={() => setOpen('token')}>
          New token
        </Button>
      )}
      <Button pending={check.isPending} onClick={() => check.mutate()}>
        Check now<span className="sr-only"> {account.name}</span>
      </Button>
      {mayRemove && <IconButton icon="trash" label={`Remove ${account.name}`} onClick={() => setOpen('remove')} />}
      {open === 'token' && (
        <ConnectAccount again={account} owner={account.projectId === null ? 'me' : { projectId: account.projectId }} onClose={close} />
      )}
      {open === 'remove' && <RemoveAccount account={account} onClose={close} />}
    </>
  )
}

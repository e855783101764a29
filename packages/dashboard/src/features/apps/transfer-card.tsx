import type { Application, Member } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { SelectField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { isAdmin, useMe } from '../session/queries.ts'
import { appKeys } from './queries.ts'

/** Transfers the app to another member, or to the admin who asks. */
export function TransferCard({ app, members }: { app: Application; members: readonly Member[] }) {
  const client = useQueryClient()
  const person = useMe()
  const [userId, setUserId] = useState('')
  const owner = members.find(({ id }) => id === app.created_by)
  const others = members
    .filter(({ id }) => id !== app.created_by && id !== person.id)
    .map(({ id, email }) => ({ value: String(id), label: email }))
  const self = app.created_by !== person.id && (isAdmin(person) || members.some(({ id }) => id === person.id))
  const options = [
    { value: '', label: 'Select a user' },
    ...(self ? [{ value: String(person.id), label: `${person.email} (you)` }] : []),
    ...others,
  ]
  const transfer = useMutation({
    mutationFn: () => call('apps.transfer', { appId: app.id, userId: Number(userId) }),
    onSuccess: async () => {
      setUserId('')
      await client.invalidateQueries({ queryKey: appKeys.all })
      toast('Owner changed.')
    },
  })
  return (
    <Card title="Transfer" note={`Owner: ${owner?.email ?? 'no longer a member'}. Only the owner can change the app's settings.`}>
      <div className="grid gap-3">
        {transfer.error && <Notice tone="bad">{transfer.error.message}</Notice>}
        <div className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <SelectField label="New owner" value={userId} options={options} onPick={setUserId} />
          </div>
          <Button disabled={userId === ''} pending={transfer.isPending} onClick={() => transfer.mutate()}>
            Transfer
          </Button>
        </div>
      </div>
    </Card>
  )
}

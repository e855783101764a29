import type { Invitation, SentInvitation } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { ROLE_WORDS } from '../../lib/status.ts'
import { InvitationLink } from './invite-user.tsx'
import { invitations, userKeys } from './queries.ts'

/** Invitations that nobody has accepted yet. */
export function InvitationsCard() {
  const { data: list = [] } = useQuery(invitations)
  if (list.length === 0) return null
  return (
    <Card title="Pending invitations" flush>
      <ul className="divide-y divide-line">
        {list.map((invitation) => (
          <Row key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Card>
  )
}

function Row({ invitation: { id, email, role, invitedBy, expiresAt } }: { invitation: Invitation }) {
  const client = useQueryClient()
  const [sent, setSent] = useState<SentInvitation>()
  const onError = (error: Error): void => toast(error.message, 'bad')
  const refresh = () => client.invalidateQueries({ queryKey: userKeys.invitations })
  const renew = useMutation({ mutationFn: () => call('invitations.create', { email, role }), onSuccess: setSent, onError })
  const revoke = useMutation({ mutationFn: () => call('invitations.delete', { id }), onSuccess: refresh, onError })
  return (
    <li className="flex min-h-14 items-center justify-between gap-3 px-4 py-2 text-sm">
      <div className="min-w-0">
        <p className="font-medium [overflow-wrap:anywhere]">{email}</p>
        <p className="text-[13px] [overflow-wrap:anywhere] text-ink-soft">
          {ROLE_WORDS[role].label} · invited by {invitedBy} · expires <RelativeTime at={expiresAt} />
        </p>
      </div>
      <span className="flex shrink-0 items-center gap-1">
        <Button pending={renew.isPending} onClick={() => renew.mutate()}>
          New link
        </Button>
        <IconButton icon="trash" label={`Revoke the invitation of ${email}`} disabled={revoke.isPending} onClick={() => revoke.mutate()} />
      </span>
      {sent && (
        <Dialog title="Invitation link" onClose={() => void refresh()}>
          <InvitationLink sent={sent} onClose={() => void refresh()} />
        </Dialog>
      )}
    </li>
  )
}

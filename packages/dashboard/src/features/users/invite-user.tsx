import type { Role, SentInvitation } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog, DoneButton } from '../../components/dialog.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { ROLE_WORDS } from '../../lib/status.ts'
import { useForm } from '../../lib/use-form.ts'
import { useMe } from '../session/queries.ts'
import { userKeys } from './queries.ts'
import { roleOptions } from './user-dialogs.tsx'

/** Makes a link with which a person sets their own password: nobody has to tell them one. */
export function InviteUser({ onClose }: { onClose: () => void }) {
  const [sent, setSent] = useState<SentInvitation>()
  return (
    <Dialog title={sent ? 'Invitation link' : 'Invite user'} onClose={onClose}>
      {sent ? <InvitationLink sent={sent} onClose={onClose} /> : <InviteForm onDone={setSent} onClose={onClose} />}
    </Dialog>
  )
}

function InviteForm({ onDone, onClose }: { onDone: (sent: SentInvitation) => void; onClose: () => void }) {
  const client = useQueryClient()
  const initial: { email: string; role: Role } = { email: '', role: 'user' }
  const form = useForm('invitations.create', {
    initial,
    input: (values) => values,
    onDone: async (sent) => {
      await client.invalidateQueries({ queryKey: userKeys.invitations })
      onDone(sent)
    },
  })
  return (
    <Form form={form} submit="Create invitation link" onCancel={onClose}>
      <p className="text-sm text-ink-soft">You get a link to send to them. Berth sends no email.</p>
      <TextField label="Email" type="email" autoComplete="off" {...form.field('email')} />
      <SelectField
        label="Role"
        hint={ROLE_WORDS[form.values.role].summary}
        options={roleOptions(useMe().role, false)}
        {...form.choice('role')}
      />
    </Form>
  )
}

export function InvitationLink({ sent, onClose }: { sent: SentInvitation; onClose: () => void }) {
  const link = `${location.origin}${sent.link}`
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 text-sm">
      <p>
        Send this link to <span className="font-medium break-all">{sent.email}</span>. It works once and expires{' '}
        <RelativeTime at={sent.expiresAt} />. You will not see it again.
      </p>
      <div className="flex items-center gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 truncate font-mono text-[13px]">{link}</code>
        <CopyButton text={link} label="Copy link" />
      </div>
      <DoneButton onClose={onClose} />
    </div>
  )
}

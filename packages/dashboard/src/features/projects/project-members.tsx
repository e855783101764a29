import type { Member, ProjectDetails } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { ROLE_WORDS } from '../../lib/status.ts'
import { useForm } from '../../lib/use-form.ts'
import { useMe } from '../session/queries.ts'
import { LeaveProject } from './leave-project.tsx'
import { projectKeys } from './queries.ts'
import { useMayManage, useProject } from './use-project.ts'

export function ProjectMembers() {
  const project = useProject()
  const mayManage = useMayManage(project)
  const person = useMe()
  const [removing, setRemoving] = useState<Member>()
  const [isLeaving, setIsLeaving] = useState(false)
  return (
    <div className="grid max-w-3xl gap-4">
      {mayManage && <AddMember project={project} />}
      <Card title="Members" flush>
        <ul className="divide-y divide-line">
          {project.members.map((member) => (
            <li key={member.id} className="flex min-h-13 items-center justify-between gap-3 px-4 py-2 text-sm">
              <div className="min-w-0">
                <p className="truncate font-medium">{member.email}</p>
                <p className="text-[13px] text-ink-soft">
                  {roleIn(project, member)} · added <RelativeTime at={member.addedAt} />
                </p>
                <p className="text-[13px] text-ink-soft">{rightsIn(project, member)}</p>
              </div>
              {member.id !== project.ownerId && member.id === person.id && <Button onClick={() => setIsLeaving(true)}>Leave…</Button>}
              {member.id !== project.ownerId && member.id !== person.id && mayManage && (
                <IconButton icon="trash" label={`Remove ${member.email}`} onClick={() => setRemoving(member)} />
              )}
            </li>
          ))}
        </ul>
      </Card>
      {removing && <RemoveMember project={project} member={removing} onClose={() => setRemoving(undefined)} />}
      {isLeaving && <LeaveProject project={project} onClose={() => setIsLeaving(false)} />}
    </div>
  )
}

function roleIn(project: ProjectDetails, member: Member): string {
  if (member.id === project.ownerId) return 'Project owner'
  return member.role === 'user' ? 'Member' : ROLE_WORDS[member.role].label
}

/** What a member may do here, in the words of the app pages. */
function rightsIn(project: ProjectDetails, member: Member): string {
  if (member.id === project.ownerId || member.role !== 'user')
    return 'Can manage the project and its members, deploy every app, and transfer or delete it.'
  const own = project.applications.filter(({ created_by }) => created_by === member.id).length
  const more = own === 0 ? '' : ` Can change the settings of ${own === 1 ? 'the app' : `the ${own} apps`} they own.`
  return `Can create and deploy apps, and change their environment and domains.${more}`
}

function AddMember({ project }: { project: ProjectDetails }) {
  const client = useQueryClient()
  const form = useForm('projects.members', {
    initial: { email: '' },
    input: ({ email }) => ({ id: project.id, emails: [...project.members.map((member) => member.email), email.trim()] }),
    onDone: (answer, { email }) => {
      client.setQueryData(projectKeys.one(project.id), answer)
      form.reset()
      toast(`${email.trim()} added.`)
    },
  })
  return (
    <Card title="Add member" note="They need an account on this server.">
      <Form form={form} submit="Add" row="flex items-start gap-2" disabled={form.values.email.trim() === ''}>
        <div className="flex-1">
          <TextField
            label="Email"
            hideLabel
            type="email"
            placeholder="name@example.com"
            {...form.field('email')}
            problem={form.problems['emails'] ?? Object.entries(form.problems).find(([field]) => field.startsWith('emails'))?.[1]}
          />
        </div>
      </Form>
    </Card>
  )
}

function RemoveMember({ project, member, onClose }: { project: ProjectDetails; member: Member; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      call('projects.members', { id: project.id, userIds: project.members.map(({ id }) => id).filter((id) => id !== member.id) }),
    onSuccess: (answer) => {
      client.setQueryData(projectKeys.one(project.id), answer)
      toast(`${member.email} removed.`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title="Remove member?"
      action="Remove"
      pending={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>{member.email} will lose access to this project and its apps.</p>
    </ConfirmDialog>
  )
}

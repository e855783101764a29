import { ROLES, type User } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Tag } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { EmptyState } from '../../components/states.tsx'
import { ROLE_WORDS } from '../../lib/status.ts'
import { useMe } from '../session/queries.ts'
import { DeleteUser } from './delete-user.tsx'
import { InvitationsCard } from './invitations-card.tsx'
import { InviteUser } from './invite-user.tsx'
import { users } from './queries.ts'
import { EditUser } from './user-dialogs.tsx'

type Open = { is: 'nothing' } | { is: 'new' } | { is: 'edit' | 'delete'; user: User }

export function UsersPage() {
  const [open, setOpen] = useState<Open>({ is: 'nothing' })
  const close = (): void => setOpen({ is: 'nothing' })
  return (
    <>
      <PageHeader
        title="Users"
        actions={
          <Button kind="primary" icon="plus" onClick={() => setOpen({ is: 'new' })}>
            Invite user
          </Button>
        }
      />
      <div className="grid gap-4">
        <InvitationsCard />
        <Card flush>
          <QueryView query={useQuery(users)} empty={<EmptyState icon="users" title="No users" />}>
            {(list) => (
              <ul className="divide-y divide-line">
                {list.map((user) => (
                  <Row key={user.id} user={user} onOpen={setOpen} />
                ))}
              </ul>
            )}
          </QueryView>
        </Card>
      </div>
      {open.is === 'new' && <InviteUser onClose={close} />}
      {open.is === 'edit' && <EditUser user={open.user} onClose={close} />}
      {open.is === 'delete' && <DeleteUser user={open.user} onClose={close} />}
    </>
  )
}

function Row({ user, onOpen }: { user: User; onOpen: (open: Open) => void }) {
  const person = useMe()
  // Nobody can change a user with a higher role; the server refuses it too.
  const mayChange = ROLES.indexOf(user.role) <= ROLES.indexOf(person.role)
  return (
    <li className="flex min-h-14 items-center justify-between gap-3 px-4 py-2 text-sm">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{user.email}</span>
          {user.id === person.id && <Tag>you</Tag>}
        </p>
        <p className="text-[13px] text-ink-soft">
          {ROLE_WORDS[user.role].label} · added <RelativeTime at={user.createdAt} />
        </p>
      </div>
      {mayChange && (
        <span className="flex shrink-0">
          <IconButton icon="edit" label={`Edit ${user.email}`} onClick={() => onOpen({ is: 'edit', user })} />
          {user.id !== person.id && (
            <IconButton icon="trash" label={`Delete ${user.email}`} onClick={() => onOpen({ is: 'delete', user })} />
          )}
        </span>
      )}
    </li>
  )
}

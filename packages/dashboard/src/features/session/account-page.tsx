import { Card } from '../../components/card.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { toast } from '../../components/toast.tsx'
import { ROLE_WORDS } from '../../lib/status.ts'
import { useForm } from '../../lib/use-form.ts'
import { useMe } from './queries.ts'
import { SessionsCard } from './sessions-card.tsx'

export function AccountPage() {
  const person = useMe()
  return (
    <div className="grid max-w-2xl gap-4">
      <Card title="Profile">
        <Facts>
          <Fact name="Email">{person.email}</Fact>
          <Fact name="Role">
            {ROLE_WORDS[person.role].label}. {ROLE_WORDS[person.role].summary}
          </Fact>
          <Fact name="Added">
            <RelativeTime at={person.createdAt} />
          </Fact>
        </Facts>
      </Card>
      <PasswordCard />
      <SessionsCard />
    </div>
  )
}

const EMPTY = { currentPassword: '', newPassword: '' }

function PasswordCard() {
  const form = useForm('auth.password', {
    initial: EMPTY,
    input: (values) => values,
    onDone: () => {
      form.reset()
      toast('Password changed. Your other sessions were logged out.')
    },
  })
  return (
    <Card title="Password" note="Changing it logs out your other sessions.">
      <Form form={form} submit="Change password">
        <TextField label="Current password" type="password" autoComplete="current-password" {...form.field('currentPassword')} />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 8 characters."
          {...form.field('newPassword')}
        />
      </Form>
    </Card>
  )
}

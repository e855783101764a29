import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { useForm } from '../../lib/use-form.ts'
import { EntryCard } from './entry-card.tsx'
import { safeNext } from './safe-next.ts'

export function LoginPage() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [next] = useSearchState('next')
  const form = useForm('auth.login', {
    initial: { email: '', password: '' },
    input: (values) => values,
    onDone: async () => {
      client.clear()
      await navigate({ href: safeNext(next), replace: true })
    },
  })
  return (
    <EntryCard title="Log in" note="Welcome back.">
      <Form form={form} submit="Log in" fullWidthButton>
        <TextField label="Email" type="email" autoComplete="username" autoFocus {...form.field('email')} />
        <TextField label="Password" type="password" autoComplete="current-password" {...form.field('password')} />
      </Form>
      <p className="mt-5 text-[13px] text-ink-soft">First time here? Open the setup link the server printed at startup.</p>
    </EntryCard>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
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
      <form className="grid gap-4" onSubmit={form.submit} noValidate>
        {form.failure !== undefined && <Notice tone="bad">{form.failure}</Notice>}
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          autoFocus
          value={form.values.email}
          onText={(email) => form.set('email', email)}
          problem={form.problems['email']}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          value={form.values.password}
          onText={(password) => form.set('password', password)}
          problem={form.problems['password']}
        />
        <Button kind="primary" type="submit" pending={form.pending}>
          Log in
        </Button>
      </form>
      <p className="mt-5 text-[13px] text-ink-soft">First time here? Open the set-up link that the server printed when it started.</p>
    </EntryCard>
  )
}

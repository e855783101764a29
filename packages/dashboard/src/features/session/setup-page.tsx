import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { useForm } from '../../lib/use-form.ts'
import { paths } from '../../paths.ts'
import { EntryCard } from './entry-card.tsx'

function tokenOf(hash: string): string {
  return new URLSearchParams(hash).get('token') ?? ''
}

export function SetupPage() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const hash = useRouterState({ select: (state) => state.location.hash })
  const [linkToken] = useState(() => tokenOf(hash))
  const form = useForm('auth.setup', {
    initial: { token: linkToken, email: '', password: '' },
    input: (values) => values,
    onDone: async () => {
      client.clear()
      await navigate({ to: paths.overview(), replace: true })
    },
  })
  return (
    <EntryCard title="Set up Berth" note="Make the first account. It owns this server.">
      <form className="grid gap-4" onSubmit={form.submit} noValidate>
        {form.failure !== undefined && <Notice tone="bad">{form.failure}</Notice>}
        {linkToken === '' && (
          <TextField
            label="Set-up token"
            hint="It is in the link that the server printed when it started."
            mono
            value={form.values.token}
            onText={(token) => form.set('token', token)}
            problem={form.problems['token']}
          />
        )}
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
          autoComplete="new-password"
          hint="At least 8 characters."
          value={form.values.password}
          onText={(password) => form.set('password', password)}
          problem={form.problems['password']}
        />
        <Button kind="primary" type="submit" pending={form.pending}>
          Create the owner
        </Button>
      </form>
      <p className="mt-5 text-[13px] text-ink-soft">
        Set up already?{' '}
        <Link to={paths.login()} className="text-accent underline">
          Log in
        </Link>
      </p>
    </EntryCard>
  )
}

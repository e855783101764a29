import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { useForm } from '../../lib/use-form.ts'
import { paths } from '../../paths.ts'
import { EntryCard } from './entry-card.tsx'

/** Accepts an invitation. The link carries the token behind the #, which browsers keep to themselves. */
export function JoinPage() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const hash = useRouterState({ select: (state) => state.location.hash })
  const [invited] = useState(() => new URLSearchParams(hash))
  const [token, email] = [invited.get('token') ?? '', invited.get('email') ?? '']
  const form = useForm('auth.join', {
    initial: { password: '' },
    input: ({ password }) => ({ token, password }),
    onDone: async () => {
      client.clear()
      await navigate({ to: paths.overview(), replace: true })
    },
  })
  if (token === '')
    return <EntryCard title="Invitation" note="This link is incomplete. Open the whole link that you were sent." children={<LogIn />} />
  return (
    <EntryCard title="Join Berth" note="Choose a password for your account.">
      <Form form={form} submit="Create account" fullWidthButton>
        <TextField label="Email" type="email" autoComplete="username" value={email} onText={() => undefined} readOnly />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          autoFocus
          hint="At least 8 characters."
          {...form.field('password')}
        />
      </Form>
      <LogIn />
    </EntryCard>
  )
}

function LogIn() {
  return (
    <p className="mt-5 text-[13px] text-ink-soft">
      Already have an account?{' '}
      <Link to={paths.login()} className="text-accent underline">
        Log in
      </Link>
    </p>
  )
}

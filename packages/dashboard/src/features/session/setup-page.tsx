import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
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
    <EntryCard title="Set up Berth" note="Create the first account. It owns this server.">
      <Form form={form} submit="Create account" fullWidthButton>
        {linkToken === '' && (
          <TextField label="Setup token" hint="Part of the link the server printed at startup." mono {...form.field('token')} />
        )}
        <TextField label="Email" type="email" autoComplete="username" autoFocus {...form.field('email')} />
        <TextField label="Password" type="password" autoComplete="new-password" hint="At least 8 characters." {...form.field('password')} />
      </Form>
      <p className="mt-5 text-[13px] text-ink-soft">
        Already set up?{' '}
        <Link to={paths.login()} className="text-accent underline">
          Log in
        </Link>
      </p>
    </EntryCard>
  )
}

import type { Application } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { AreaField, TextField } from '../../components/field.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { appKeys } from './queries.ts'

type Props = { app: Application; disabled: boolean }

/** Values that only builds get. They can be replaced and removed, never read. */
export function BuildSecretsCard({ app, disabled }: Props) {
  const [adding, setAdding] = useState(false)
  return (
    <Card
      title="Build secrets"
      note="Tokens that only the build needs. Encrypted, and never in the image."
      actions={
        !adding && (
          <Button icon="plus" disabled={disabled} onClick={() => setAdding(true)}>
            Add
          </Button>
        )
      }
    >
      <div className="grid gap-4">
        {adding && <AddSecret app={app} onDone={() => setAdding(false)} />}
        {app.build_secrets.length === 0 && !adding && <p className="text-sm text-ink-soft">No build secrets yet.</p>}
        {app.build_secrets.length > 0 && (
          <ul className="divide-y divide-line">
            {app.build_secrets.map((name) => (
              <Secret key={name} app={app} name={name} disabled={disabled} />
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}

function AddSecret({ app, onDone }: { app: Application; onDone: () => void }) {
  const client = useQueryClient()
  const form = useForm('apps.update', {
    initial: { name: '', value: '' },
    input: ({ name, value }) => ({ appId: app.id, buildSecrets: { [name.trim()]: value } }),
    onDone: async () => {
      await client.invalidateQueries({ queryKey: appKeys.one(app.id) })
      toast('Saved. Takes effect on the next deployment.')
      onDone()
    },
  })
  const problem = form.problems['buildSecrets'] === undefined ? undefined : 'Must be letters, digits, dots, dashes or underscores.'
  return (
    <form onSubmit={form.submit} className="grid gap-4">
      <TextField
        label="Name"
        mono
        autoComplete="off"
        spellCheck={false}
        placeholder="NPM_TOKEN"
        hint="A Dockerfile mounts it with RUN --mount=type=secret,id=NAME. An existing one is replaced."
        {...form.field('name')}
        problem={problem}
      />
      <AreaField label="Value" mono rows={2} autoComplete="off" spellCheck={false} {...form.field('value')} />
      {form.failure !== undefined && <p className="text-[13px] text-bad">{form.failure}</p>}
      <div className="flex gap-2">
        <Button kind="primary" type="submit" pending={form.pending} disabled={form.values.name.trim() === '' || form.values.value === ''}>
          Save secret
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  )
}

function Secret({ app, name, disabled }: Props & { name: string }) {
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => call('apps.update', { appId: app.id, buildSecrets: { [name]: null } }),
    onSuccess: async () => {
      setAsking(false)
      await client.invalidateQueries({ queryKey: appKeys.one(app.id) })
    },
  })
  return (
    <li className="flex items-center justify-between gap-4 py-1">
      <code className="min-w-0 font-mono text-[13px] [overflow-wrap:anywhere]">{name}</code>
      <IconButton icon="trash" label={`Remove ${name}`} disabled={disabled} onClick={() => setAsking(true)} />
      {asking && (
        <ConfirmDialog
          title={`Remove ${name}?`}
          action="Remove"
          pending={remove.isPending}
          failure={remove.error?.message}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>Builds no longer get it. Its value cannot be read again.</p>
        </ConfirmDialog>
      )}
    </li>
  )
}

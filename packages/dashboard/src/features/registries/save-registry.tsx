import type { Registry } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { toast } from '../../components/toast.tsx'
import { useForm } from '../../lib/use-form.ts'
import { registryKeys } from './queries.ts'

type Props = { projectId: number | null; again?: Registry; onClose: () => void }

/** The server tries the credentials at the registry first. */
export function SaveRegistry({ projectId, again, onClose }: Props) {
  const client = useQueryClient()
  const form = useForm('registries.create', {
    initial: { host: again?.host ?? '', username: again?.username ?? '', password: '' },
    input: ({ host, username, password }) => ({ host: host.trim(), username: username.trim(), password: password.trim(), projectId }),
    onDone: async ({ host }) => {
      await client.invalidateQueries({ queryKey: registryKeys.all })
      toast(`${host} saved.`)
      onClose()
    },
  })
  return (
    <Dialog title={again === undefined ? 'Add registry' : `New password for ${again.host}`} onClose={onClose}>
      <Form form={form} submit="Save" onCancel={onClose}>
        <TextField
          label="Host"
          mono
          placeholder="ghcr.io"
          autoComplete="off"
          spellCheck={false}
          disabled={again !== undefined}
          hint={again === undefined ? 'For Docker Hub, docker.io.' : undefined}
          {...form.field('host')}
        />
        <TextField label="User name" mono autoComplete="off" spellCheck={false} {...form.field('username')} />
        <TextField
          label="Password or access token"
          type="password"
          autoComplete="off"
          hint="Berth checks it with the registry first, stores it encrypted and never shows it again."
          {...form.field('password')}
        />
      </Form>
    </Dialog>
  )
}

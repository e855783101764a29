import type { Registry } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { project } from '../projects/queries.ts'
import { useMe } from '../session/queries.ts'
import { registryKeys } from './queries.ts'
import { SaveRegistry } from './save-registry.tsx'

/** Who may use a registry and who may remove it. The server decides. */
function useRights({ projectId, ownerId }: Registry) {
  const person = useMe()
  const { data: home } = useQuery({ ...project(projectId ?? 0), enabled: projectId !== null })
  const mayUse = projectId === null ? ownerId === person.id : (home?.members.some(({ id }) => id === person.id) ?? false)
  return { mayUse, mayRemove: mayUse && (ownerId === person.id || home?.ownerId === person.id) }
}

export function RegistryActions({ registry }: { registry: Registry }) {
  const client = useQueryClient()
  const { mayUse, mayRemove } = useRights(registry)
  const [open, setOpen] = useState<'nothing' | 'password' | 'remove'>('nothing')
  const close = (): void => setOpen('nothing')
  const check = useMutation({
    mutationFn: () => call('registries.check', { registryId: registry.id }),
    onSuccess: async (checked) => {
      await client.invalidateQueries({ queryKey: registryKeys.all })
      if (checked.status === 'ok') toast(`${checked.host} accepts the credentials.`)
      else toast(checked.error, 'bad')
    },
    onError: (error) => toast(error.message, 'bad'),
  })
  const remove = useMutation({
    mutationFn: () => call('registries.delete', { registryId: registry.id }),
    onSuccess: async () => {
      close()
      await client.invalidateQueries({ queryKey: registryKeys.all })
      toast(`${registry.host} removed.`)
    },
  })
  if (!mayUse) return null
  return (
    <>
      <Button onClick={() => setOpen('password')}>
        New password<span className="sr-only"> for {registry.host}</span>
      </Button>
      <Button pending={check.isPending} onClick={() => check.mutate()}>
        Check now<span className="sr-only"> {registry.host}</span>
      </Button>
      {mayRemove && <IconButton icon="trash" label={`Remove ${registry.host}`} onClick={() => setOpen('remove')} />}
      {open === 'password' && <SaveRegistry projectId={registry.projectId} again={registry} onClose={close} />}
      {open === 'remove' && (
        <ConfirmDialog
          title={`Remove ${registry.host}?`}
          action="Remove"
          pending={remove.isPending}
          failure={remove.error?.message}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>Its password is deleted from this server. Apps with private images from there can no longer be deployed.</p>
          <p>Running containers are not affected.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

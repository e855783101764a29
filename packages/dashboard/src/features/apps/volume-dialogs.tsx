import { type Application, type AppVolume, VOLUME_NAME } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { appKeys } from './queries.ts'

const NEXT_DEPLOYMENT = 'Deploy to apply it.'
const NO_VOLUME: AppVolume = { name: '', path: '', shareable: false }

function useSetApp(appId: number) {
  const client = useQueryClient()
  return async (answer: Application) => {
    client.setQueryData(appKeys.one(appId), answer)
    await client.invalidateQueries({ queryKey: appKeys.storage(appId) })
  }
}

type FormProps = { app: Application; volume?: AppVolume; isNew: boolean; onClose: () => void }

/** Adds a volume, or changes where it is mounted. A volume that is there already keeps its name, by which it is found. */
export function VolumeForm({ app, volume = NO_VOLUME, isNew, onClose }: FormProps) {
  const setApp = useSetApp(app.id)
  const form = useForm('apps.update', {
    initial: { ...volume },
    input: (values) => ({ appId: app.id, volumes: [...app.volumes.filter(({ name }) => name !== volume.name), values] }),
    onDone: async (answer, { name }) => {
      await setApp(answer)
      toast(`${name} ${isNew ? 'added' : 'saved'}. ${NEXT_DEPLOYMENT}`)
      onClose()
    },
  })
  const { name, shareable } = form.values
  const isBadName = name !== '' && !new RegExp(VOLUME_NAME).test(name)
  return (
    <Dialog title={isNew ? 'Add volume' : `Edit ${volume.name}`} onClose={onClose}>
      <Form form={form} submit={isNew ? 'Add volume' : 'Save'} disabled={name === '' || form.values.path === ''} onCancel={onClose}>
        <TextField
          label="Name"
          placeholder="uploads"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          disabled={volume.name !== ''}
          {...form.field('name')}
          problem={isBadName ? 'Use at most 32 lower-case letters, digits and dashes.' : undefined}
        />
        <TextField
          label="Path in the container"
          mono
          placeholder="/data"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          hint="The directory to keep. A new volume starts with what the image has there."
          {...form.field('path')}
          problem={isBadName ? undefined : form.problems['volumes']}
        />
        <div className="grid gap-1">
          <CheckField
            label="Several containers can use it at once"
            checked={shareable}
            onCheck={(isShareable) => form.set('shareable', isShareable)}
          />
          <p className="pl-6 text-[13px] text-ink-soft">
            The old and the new release then run side by side during a deployment. Not for databases such as SQLite.
          </p>
        </div>
      </Form>
    </Dialog>
  )
}

export function RemoveVolume({ app, volume, onClose }: { app: Application; volume: AppVolume; onClose: () => void }) {
  const setApp = useSetApp(app.id)
  const remove = useMutation({
    mutationFn: () => call('apps.update', { appId: app.id, volumes: app.volumes.filter(({ name }) => name !== volume.name) }),
    onSuccess: async (answer) => {
      await setApp(answer)
      toast(`${volume.name} removed. ${NEXT_DEPLOYMENT}`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Remove ${volume.name}?`}
      action="Remove volume"
      pending={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>From the next deployment on, the app no longer has {volume.path}. The data is kept until you delete it.</p>
    </ConfirmDialog>
  )
}

export function DeleteVolume({ app, name, onClose }: { app: Application; name: string; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call('volumes.delete', { appId: app.id, volume: name }),
    onSuccess: () => {
      // It is deleted in the background, and measured again only after a while.
      client.setQueryData(appKeys.storage(app.id), (before: { volumes: { volume: string }[] } | undefined) =>
        before ? { volumes: before.volumes.filter(({ volume }) => volume !== name) } : before,
      )
      toast(`${name} deleted.`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete volume"
      typed={name}
      pending={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Notice tone="bad">All data in this volume is lost. This cannot be undone.</Notice>
    </ConfirmDialog>
  )
}

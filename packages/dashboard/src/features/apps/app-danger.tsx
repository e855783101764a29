import type { Application } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CheckField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/states.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { paths } from '../../paths.ts'
import { useApp } from '../../shared/use-app.ts'
import { project } from '../projects/queries.ts'
import { appKeys } from './queries.ts'
import { useAppRights } from './rights.ts'
import { TransferCard } from './transfer-card.tsx'

export function AppDanger() {
  const app = useApp()
  const { home, maySteward, isPending, whyNotDelete } = useAppRights(app)
  if (isPending) return <Skeleton bare rows={2} height="h-24" />
  return (
    <div className="grid max-w-3xl gap-4">
      {!maySteward && <Notice tone="plain">{whyNotDelete}</Notice>}
      {maySteward && home && <TransferCard app={app} members={home.members} />}
      <DeleteCard app={app} disabled={!maySteward} />
    </div>
  )
}

function DeleteCard({ app, disabled }: { app: Application; disabled: boolean }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const [deleteVolumes, setDeleteVolumes] = useState(false)
  const remove = useMutation({
    mutationFn: () => call('apps.delete', { appId: app.id, deleteVolumes }),
    onSuccess: async () => {
      await navigate({ to: paths.project(app.project_id) })
      client.removeQueries({ queryKey: appKeys.ofOne(app.id) })
      await client.invalidateQueries({ queryKey: project(app.project_id).queryKey })
      toast(`${app.name} deleted.`)
    },
  })
  return (
    <Card title="Delete app" tone="bad">
      <div className="flex items-center justify-between gap-3 text-sm text-ink-soft max-sm:flex-wrap">
        <p>Deletes its containers, images, domains and history. Volumes are kept unless you choose otherwise.</p>
        <Button kind="danger" icon="trash" disabled={disabled} onClick={() => setOpen(true)}>
          Delete…
        </Button>
      </div>
      {open && (
        <ConfirmDialog
          title={`Delete ${app.name}?`}
          action="Delete app"
          typed={app.name}
          pending={remove.isPending}
          failure={remove.error?.message}
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen(false)}
        >
          <p>The app stops immediately. This cannot be undone.</p>
          <CheckField label="Also delete volumes and their data" checked={deleteVolumes} onCheck={setDeleteVolumes} />
        </ConfirmDialog>
      )}
    </Card>
  )
}

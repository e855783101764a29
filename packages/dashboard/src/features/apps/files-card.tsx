import { type AppFile, type Application, sizeWords } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { EmptyState } from '../../components/states.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { FileDialog } from './file-dialog.tsx'
import { appKeys, files } from './queries.ts'

type Doing = { is: 'add' } | { is: 'edit' | 'remove'; file: AppFile }

/** Configuration files and keys. Their contents are asked for only when one is opened. */
export function FilesCard({ app }: { app: Application }) {
  const [doing, setDoing] = useState<Doing>()
  const close = () => setDoing(undefined)
  return (
    <Card
      flush
      title="Files"
      note="Added to every container of a release. Stored encrypted, never part of the image."
      actions={
        <Button icon="plus" onClick={() => setDoing({ is: 'add' })}>
          Add file
        </Button>
      }
    >
      <QueryView
        query={useQuery(files(app.id))}
        empty={
          <EmptyState icon="audit" title="No files yet">
            Add a configuration file, a certificate or a key that is not in the repository.
          </EmptyState>
        }
      >
        {(found) => (
          <ul className="divide-y divide-line">
            {found.map((file) => (
              <FileRow
                key={file.id}
                file={file}
                onEdit={() => setDoing({ is: 'edit', file })}
                onRemove={() => setDoing({ is: 'remove', file })}
              />
            ))}
          </ul>
        )}
      </QueryView>
      {doing?.is === 'add' && <FileDialog appId={app.id} onClose={close} />}
      {doing?.is === 'edit' && <FileDialog appId={app.id} path={doing.file.path} onClose={close} />}
      {doing?.is === 'remove' && <RemoveFile appId={app.id} path={doing.file.path} onClose={close} />}
    </Card>
  )
}

/** Nobody may write to the file, or the mode itself. */
function modeWords(mode: string): string {
  return /^[0-7]?[0145]{3}$/.test(mode) ? 'Read-only' : mode
}

function FileRow({ file, onEdit, onRemove }: { file: AppFile; onEdit: () => void; onRemove: () => void }) {
  const { path, mode, bytes, updatedAt } = file
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-3 text-sm sm:grid-cols-[minmax(0,1fr)_9rem_8rem_auto]">
      <code className="min-w-0 font-mono text-[13px] font-medium break-all">{path}</code>
      <span className="col-span-2 row-start-2 text-[13px] text-ink-soft sm:col-span-1 sm:row-start-auto">
        {modeWords(mode)}, {sizeWords(bytes)}
      </span>
      <span className="hidden text-[13px] text-ink-soft sm:block">
        <RelativeTime at={updatedAt} />
      </span>
      <span className="-my-2 flex">
        <IconButton icon="edit" label={`Edit ${path}`} onClick={onEdit} />
        <IconButton icon="trash" label={`Remove ${path}`} onClick={onRemove} />
      </span>
    </li>
  )
}

function RemoveFile({ appId, path, onClose }: { appId: number; path: string; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call('files.delete', { appId, path }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: appKeys.files(appId) })
      toast(`${path} removed. Deploy to apply it.`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Remove ${path}?`}
      action="Remove file"
      pending={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>Earlier releases keep it; rolling back to one of them brings it back.</p>
    </ConfirmDialog>
  )
}

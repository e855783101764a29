import { type Backup, type Backups, requestFor, sizeWords } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Menu } from '../../components/menu.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Skeleton } from '../../components/states.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { saveFrom } from '../../lib/save-file.ts'
import { plural } from '../../lib/sizes.ts'
import { exactTime } from '../../lib/time.ts'
import { backups } from './queries.ts'

/** Backups of Berth itself; the schedule is in the settings, and restoring is a command on the server. */
export function BackupsCard() {
  const client = useQueryClient()
  const create = useMutation({
    mutationFn: () => call('backups.create'),
    onSuccess: async ({ bytes }) => {
      await client.invalidateQueries({ queryKey: backups.queryKey })
      toast(`Backup created (${sizeWords(bytes)}).`)
    },
  })
  return (
    <Card
      title="Backups of Berth"
      note="Database, keys and certificates. Volumes of apps are not included."
      flush
      actions={
        <Button pending={create.isPending} onClick={() => create.mutate()}>
          Back up now
        </Button>
      }
    >
      {create.error && (
        <div className="p-4">
          <Notice tone="bad">{create.error.message}</Notice>
        </div>
      )}
      <QueryView query={useQuery(backups)} loading={<Skeleton rows={2} height="h-8" />}>
        {(found) => <List found={found} />}
      </QueryView>
    </Card>
  )
}

function List({ found }: { found: Backups }) {
  const [deleting, setDeleting] = useState<Backup>()
  return (
    <>
      {found.error !== '' && (
        <div className="px-4 pt-4">
          <Notice tone="warn">The last scheduled backup failed: {found.error}</Notice>
        </div>
      )}
      <ul className="divide-y divide-line">
        {found.backups.map((backup) => (
          <Row key={backup.name} backup={backup} onDelete={() => setDeleting(backup)} />
        ))}
      </ul>
      <div className="grid gap-1 border-t border-line px-4 py-3 text-sm text-ink-soft [overflow-wrap:anywhere]">
        <p>{found.nextAt === null ? 'No backup is scheduled.' : `Next backup: ${exactTime(new Date(found.nextAt))}`}</p>
        {found.backups.length > 0 && (
          <p>
            {found.backups.some(({ isEncrypted }) => !isEncrypted) && 'A backup that is not encrypted contains the keys to all secrets. '}
            Stored on this server in <code className="font-mono text-[13px]">{found.directory}</code>. To restore one into an empty data
            directory, run <code className="font-mono text-[13px]">{found.restoreCommand} &lt;file&gt;</code>.
          </p>
        )}
      </div>
      {deleting && <DeleteBackup backup={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

function Row({ backup, onDelete }: { backup: Backup; onDelete: () => void }) {
  const verify = useMutation({
    mutationFn: () => call('backups.verify', { name: backup.name }),
    onSuccess: ({ apps, users }) => toast(`Backup is complete: ${plural(apps, 'app')}, ${plural(users, 'user')}.`),
    onError: ({ message }) => toast(message, 'bad'),
  })
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-2.5 text-sm">
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p className="font-medium">
          <RelativeTime at={backup.createdAt} />
        </p>
        <p className="text-ink-soft">
          {backup.name}, {sizeWords(backup.bytes)}
          {backup.isEncrypted && ', encrypted'}
        </p>
      </div>
      <Menu
        label={`Actions for ${backup.name}`}
        items={[
          { label: verify.isPending ? 'Verifying…' : 'Verify', icon: 'check', onPick: () => verify.mutate(), disabled: verify.isPending },
          {
            label: 'Download',
            icon: 'download',
            onPick: () => saveFrom(requestFor('backups.download', { name: backup.name }).path, backup.name),
          },
          { label: 'Delete', icon: 'trash', onPick: onDelete },
        ]}
      />
    </li>
  )
}

function DeleteBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call('backups.delete', { name: backup.name }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: backups.queryKey })
      toast('Backup deleted.')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title="Delete this backup?"
      action="Delete"
      pending={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {backup.name} is deleted from the server.
    </ConfirmDialog>
  )
}

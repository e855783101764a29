import type { Server } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { useForm } from '../../lib/use-form.ts'
import { servers } from './queries.ts'

export function LabelsDialog({ server, onClose }: { server: Server; onClose: () => void }) {
  const client = useQueryClient()
  const form = useForm('servers.update', {
    initial: { labels: server.labels.join(' ') },
    input: ({ labels }) => ({ serverId: server.id, labels: labels.split(/[\s,]+/).filter((label) => label !== '') }),
    onDone: async () => {
      await client.invalidateQueries({ queryKey: servers.queryKey })
      onClose()
    },
  })
  return (
    <Dialog title={`Labels of ${server.name}`} onClose={onClose}>
      <Form form={form} submit="Save" onCancel={onClose}>
        <p className="text-sm text-ink-soft">For your own overview. Apps are not placed by labels yet.</p>
        <TextField label="Labels" hint="Words, separated by spaces: ssd zone-a" autoComplete="off" {...form.field('labels')} />
      </Form>
    </Dialog>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Dialog } from '../../components/dialog.tsx'
import { AreaField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { useForm } from '../../lib/use-form.ts'
import { paths } from '../../paths.ts'
import { projectKeys } from './queries.ts'

export function NewProjectDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const form = useForm('projects.create', {
    initial: { name: '', description: '', tags: '' },
    input: (values) => values,
    onDone: async ({ id }) => {
      await client.invalidateQueries({ queryKey: projectKeys.all })
      await navigate({ to: paths.project(id) })
    },
  })
  return (
    <Dialog title="New project" onClose={onClose}>
      <Form form={form} submit="Create project" onCancel={onClose}>
        <TextField label="Name" {...form.field('name')} />
        <AreaField label="Description" {...form.field('description')} />
        <TextField label="Tags" hint="Comma-separated" {...form.field('tags')} />
      </Form>
    </Dialog>
  )
}

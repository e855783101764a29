import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { AreaField, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
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
      <form className="grid gap-4" onSubmit={form.submit} noValidate>
        {form.failure !== undefined && <Notice tone="bad">{form.failure}</Notice>}
        <TextField label="Name" value={form.values.name} onText={(name) => form.set('name', name)} problem={form.problems['name']} />
        <AreaField
          label="Description"
          value={form.values.description}
          onText={(text) => form.set('description', text)}
          problem={form.problems['description']}
        />
        <TextField
          label="Tags"
          hint="Separated by commas."
          value={form.values.tags}
          onText={(tags) => form.set('tags', tags)}
          problem={form.problems['tags']}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" pending={form.pending}>
            Make the project
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

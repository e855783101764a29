import type { ProjectDetails } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { AreaField, CheckField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { plural } from '../../lib/sizes.ts'
import { useForm } from '../../lib/use-form.ts'
import { useUnsavedWarning } from '../../lib/use-unsaved-warning.ts'
import { paths } from '../../paths.ts'
import { projectKeys } from './queries.ts'
import { useMayManage, useProject } from './use-project.ts'

export function ProjectSettings() {
  const project = useProject()
  const mayManage = useMayManage(project)
  if (!mayManage) return <Notice tone="plain">Only the project owner and admins can change these settings.</Notice>
  return (
    <div className="grid max-w-3xl gap-4">
      <DetailsCard project={project} />
      <DeleteCard project={project} />
    </div>
  )
}

function DetailsCard({ project }: { project: ProjectDetails }) {
  const client = useQueryClient()
  const form = useForm('projects.update', {
    initial: { name: project.name, description: project.description, tags: project.tags },
    input: (values) => ({ id: project.id, ...values }),
    onDone: async () => {
      await client.invalidateQueries({ queryKey: projectKeys.all })
      toast('Project saved.')
    },
  })
  useUnsavedWarning(form.touched)
  return (
    <Card title="Details">
      <Form form={form} submit="Save" disabled={!form.touched}>
        <TextField label="Name" {...form.field('name')} />
        <AreaField label="Description" {...form.field('description')} />
        <TextField label="Tags" hint="Comma-separated" {...form.field('tags')} />
      </Form>
    </Card>
  )
}

function DeleteCard({ project }: { project: ProjectDetails }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const [deleteVolumes, setDeleteVolumes] = useState(false)
  const remove = useMutation({
    mutationFn: () => call('projects.delete', { id: project.id, deleteVolumes }),
    onSuccess: async () => {
      await navigate({ to: paths.projects() })
      await client.invalidateQueries({ queryKey: projectKeys.list })
      toast(`${project.name} deleted.`)
    },
  })
  return (
    <Card title="Delete project" tone="bad">
      <div className="flex items-center justify-between gap-3 text-sm text-ink-soft max-sm:flex-wrap">
        <p>Deletes its {plural(project.applications.length, 'app')} with their containers, images and domains.</p>
        <Button kind="danger" icon="trash" onClick={() => setOpen(true)}>
          Delete…
        </Button>
      </div>
      {open && (
        <ConfirmDialog
          title={`Delete ${project.name}?`}
          action="Delete project"
          typed={project.name}
          pending={remove.isPending}
          failure={remove.error?.message}
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen(false)}
        >
          <p>All its apps are stopped and deleted. This cannot be undone.</p>
          <CheckField label="Also delete volumes and their data" checked={deleteVolumes} onCheck={setDeleteVolumes} />
        </ConfirmDialog>
      )}
    </Card>
  )
}

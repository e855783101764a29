import type { ProjectDetails } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { paths } from '../../paths.ts'
import { projectKeys } from './queries.ts'

export function LeaveProject({ project, onClose }: { project: ProjectDetails; onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const leave = useMutation({
    mutationFn: () => call('projects.leave', { id: project.id }),
    onSuccess: async () => {
      await navigate({ to: paths.projects() })
      await client.invalidateQueries({ queryKey: projectKeys.list })
      toast(`You left ${project.name}.`)
    },
  })
  return (
    <ConfirmDialog
      title={`Leave ${project.name}?`}
      action="Leave project"
      pending={leave.isPending}
      failure={leave.error?.message}
      onConfirm={() => leave.mutate()}
      onClose={onClose}
    >
      <p>You will lose access to this project and its apps. Its owner or an admin can add you again.</p>
    </ConfirmDialog>
  )
}

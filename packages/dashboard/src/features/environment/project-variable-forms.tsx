import type { ProjectVariable } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { environmentKeys } from './queries.ts'
import { AddFields, EditFields } from './variable-fields.tsx'

type Pair = { key: string; value: string }
type All = readonly ProjectVariable[]

function pairsOf(variables: All): Pair[] {
  return variables.map(({ key, value }) => ({ key, value }))
}

/** All variables are sent together, so a problem names the list and not the field. */
function problemIn(problems: Record<string, string>): string | undefined {
  return Object.values(problems)[0]
}

export function AddProjectVariable({ projectId, variables }: { projectId: number; variables: All }) {
  const client = useQueryClient()
  const form = useForm('projectEnvs.replace', {
    initial: { key: '', value: '' },
    input: (added) => ({ projectId, variables: [...pairsOf(variables), added] }),
    onDone: (answer, { key }) => {
      client.setQueryData(environmentKeys.ofProject(projectId), answer)
      form.reset()
      toast(`${key} added.`)
    },
  })
  return <AddFields form={form} problem={problemIn(form.problems)} />
}

export function EditProjectVariable({ variable, variables, onClose }: { variable: ProjectVariable; variables: All; onClose: () => void }) {
  const client = useQueryClient()
  const { projectId } = variable
  const form = useForm('projectEnvs.replace', {
    initial: { key: variable.key, value: variable.value },
    input: (changed) => ({
      projectId,
      variables: variables.map(({ id, key, value }) => (id === variable.id ? changed : { key, value })),
    }),
    onDone: (answer, { key }) => {
      client.setQueryData(environmentKeys.ofProject(projectId), answer)
      toast(`${key} saved.`)
      onClose()
    },
  })
  return <EditFields form={form} title={`Edit ${variable.key}`} problem={problemIn(form.problems)} onClose={onClose} />
}

export function RemoveProjectVariable({
  variable,
  variables,
  onClose,
}: {
  variable: ProjectVariable
  variables: All
  onClose: () => void
}) {
  const client = useQueryClient()
  const { projectId } = variable
  const remove = useMutation({
    mutationFn: () => call('projectEnvs.replace', { projectId, variables: pairsOf(variables.filter(({ id }) => id !== variable.id)) }),
    onSuccess: (answer) => {
      client.setQueryData(environmentKeys.ofProject(projectId), answer)
      toast(`${variable.key} removed.`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Remove ${variable.key}?`}
      action="Remove"
      pending={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>Apps that refer to it cannot be deployed until they no longer do.</p>
    </ConfirmDialog>
  )
}

import type { EnvVariable } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { AreaField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { toast } from '../../components/toast.tsx'
import { useForm } from '../../lib/use-form.ts'
import { environmentKeys } from './queries.ts'

export function AddVariable({ appId }: { appId: number }) {
  const client = useQueryClient()
  const form = useForm('envs.create', {
    initial: { key: '', value: '' },
    input: (values) => ({ appId, ...values }),
    onDone: async ({ key }) => {
      form.reset()
      await client.invalidateQueries({ queryKey: environmentKeys.ofApp(appId) })
      toast(`${key} added.`)
    },
  })
  return (
    <Form form={form} submit="Add" row="grid items-start gap-2 sm:grid-cols-[16rem_minmax(0,1fr)_auto]">
      <TextField label="Name" hideLabel placeholder="NAME" mono autoComplete="off" spellCheck={false} {...form.field('key')} />
      <TextField label="Value" hideLabel placeholder="value" mono autoComplete="off" spellCheck={false} {...form.field('value')} />
    </Form>
  )
}

export function EditVariable({ variable, onClose }: { variable: EnvVariable; onClose: () => void }) {
  const client = useQueryClient()
  const form = useForm('envs.update', {
    initial: { key: variable.key, value: variable.value },
    input: (values) => ({ id: variable.id, ...values }),
    onDone: async ({ key }) => {
      await client.invalidateQueries({ queryKey: environmentKeys.ofApp(variable.appId) })
      toast(`${key} saved.`)
      onClose()
    },
  })
  return (
    <Dialog title={`Edit ${variable.key}`} onClose={onClose}>
      <Form form={form} submit="Save" onCancel={onClose}>
        <TextField label="Name" mono {...form.field('key')} />
        <AreaField label="Value" mono rows={4} data-focus spellCheck={false} {...form.field('value')} />
      </Form>
    </Dialog>
  )
}

import type { EnvVariable } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { AreaField, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
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
      toast(`${key} is added.`)
    },
  })
  return (
    <form className="grid gap-3" onSubmit={form.submit} noValidate>
      {form.failure !== undefined && <Notice tone="bad">{form.failure}</Notice>}
      <div className="grid items-start gap-2 sm:grid-cols-[16rem_minmax(0,1fr)_auto]">
        <TextField
          label="Name"
          hideLabel
          placeholder="NAME"
          mono
          autoComplete="off"
          spellCheck={false}
          value={form.values.key}
          onText={(key) => form.set('key', key)}
          problem={form.problems['key']}
        />
        <TextField
          label="Value"
          hideLabel
          placeholder="value"
          mono
          autoComplete="off"
          spellCheck={false}
          value={form.values.value}
          onText={(value) => form.set('value', value)}
          problem={form.problems['value']}
        />
        <Button kind="primary" type="submit" pending={form.pending}>
          Add
        </Button>
      </div>
    </form>
  )
}

export function EditVariable({ variable, onClose }: { variable: EnvVariable; onClose: () => void }) {
  const client = useQueryClient()
  const form = useForm('envs.update', {
    initial: { key: variable.key, value: variable.value },
    input: (values) => ({ id: variable.id, ...values }),
    onDone: async ({ key }) => {
      await client.invalidateQueries({ queryKey: environmentKeys.ofApp(variable.appId) })
      toast(`${key} is saved.`)
      onClose()
    },
  })
  return (
    <Dialog title={`Edit ${variable.key}`} onClose={onClose}>
      <form className="grid gap-4" onSubmit={form.submit} noValidate>
        {form.failure !== undefined && <Notice tone="bad">{form.failure}</Notice>}
        <TextField label="Name" mono value={form.values.key} onText={(key) => form.set('key', key)} problem={form.problems['key']} />
        <AreaField
          label="Value"
          mono
          rows={4}
          data-focus
          spellCheck={false}
          value={form.values.value}
          onText={(value) => form.set('value', value)}
          problem={form.problems['value']}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" pending={form.pending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

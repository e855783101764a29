import type { EnvVariable } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { toast } from '../../components/toast.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { useForm } from '../../lib/use-form.ts'
import { environmentKeys } from './queries.ts'
import { AddFields, EditFields } from './variable-fields.tsx'

export function AddVariable({ appId }: { appId: number }) {
  const client = useQueryClient()
  const [wanted, setWanted] = useSearchState('add')
  const form = useForm('envs.create', {
    initial: { key: wanted, value: '' },
    input: (values) => ({ appId, ...values }),
    onDone: async ({ key }) => {
      form.reset({ key: '', value: '' })
      setWanted('')
      await client.invalidateQueries({ queryKey: environmentKeys.ofApp(appId) })
      toast(`${key} added.`)
    },
  })
  return <AddFields form={form} />
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
  return <EditFields form={form} title={`Edit ${variable.key}`} onClose={onClose} />
}

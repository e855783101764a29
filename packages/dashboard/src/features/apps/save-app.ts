import type { Application, Input } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { toast } from '../../components/toast.tsx'
import { useForm } from '../../lib/use-form.ts'
import { appKeys } from './queries.ts'

type Change = Omit<Input<'apps.update'>, 'appId'>

/** A form for some settings of an app. */
export function useAppForm<Values extends Record<string, unknown>>(app: Application, initial: Values, change: (values: Values) => Change) {
  const client = useQueryClient()
  return useForm('apps.update', {
    initial,
    input: (values: Values) => ({ appId: app.id, ...change(values) }),
    onDone: async () => {
      await client.invalidateQueries({ queryKey: appKeys.all })
      toast('Saved. Takes effect on the next deployment.')
    },
  })
}

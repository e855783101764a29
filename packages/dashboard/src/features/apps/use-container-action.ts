import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { appKeys } from './queries.ts'

const SAID = { start: 'Container started.', stop: 'Container stopped.', restart: 'Container restarted.' } as const
export type ContainerAction = keyof typeof SAID

export function useContainerAction(appId: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (action: ContainerAction) => call(`containers.${action}`, { appId }),
    onSuccess: async (_, action) => {
      toast(SAID[action])
      await client.invalidateQueries({ queryKey: appKeys.ofOne(appId) })
    },
    onError: (error) => toast(error.message, 'bad'),
  })
}

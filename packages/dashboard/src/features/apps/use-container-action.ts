import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { appKeys } from './queries.ts'

const SAID = { start: 'The container starts.', stop: 'The container is stopped.', restart: 'The container restarts.' } as const
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

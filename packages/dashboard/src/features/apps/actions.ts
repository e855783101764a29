import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { paths } from '../../paths.ts'
import { deploymentKeys } from '../deployments/queries.ts'
import { appKeys } from './queries.ts'

/** Deploys the newest commit (or the template) and shows how it goes. */
export function useDeploy() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (appId: number) => call('deployments.add', { appId }),
    onSuccess: async ({ id }, appId) => {
      void client.invalidateQueries({ queryKey: deploymentKeys.ofApp(appId) })
      void client.invalidateQueries({ queryKey: deploymentKeys.running })
      await navigate({ to: paths.deployment(appId, id) })
    },
    onError: (error) => toast(error.message, 'bad'),
  })
}

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

import type { Deployment } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { paths } from '../../paths.ts'
import { deploymentKeys } from './queries.ts'

export function useCancel(deploymentId: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('deployments.stop', { deploymentId }),
    onSuccess: async (deployment) => {
      client.setQueryData(deploymentKeys.one(deploymentId), deployment)
      toast('Deployment cancelled. Nothing changed.')
      await client.invalidateQueries({ queryKey: deploymentKeys.all })
    },
    onError: (error) => toast(error.message, 'bad'),
  })
}

/** Makes the change that is suggested, and opens the deployment that follows. */
export function useApplySuggestion({ id: deploymentId, app_id: appId }: Deployment) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (suggestionId: string) => call('deployments.applySuggestion', { deploymentId, suggestionId }),
    onSuccess: async ({ id }) => {
      void client.invalidateQueries({ queryKey: deploymentKeys.all })
      await navigate({ to: paths.deployment(appId, id) })
    },
    onError: (error) => toast(error.message, 'bad'),
  })
}

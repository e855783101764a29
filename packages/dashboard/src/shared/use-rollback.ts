import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deploymentKeys } from '../features/deployments/queries.ts'
import { call } from '../lib/api.ts'
import { paths } from '../paths.ts'

/** A rollback is a new deployment of a kept image; it is opened. */
export function useRollback(appId: number) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (deploymentId: number) => call('deployments.rollback', { deploymentId }),
    onSuccess: async (deployment) => {
      client.setQueryData(deploymentKeys.one(deployment.id), deployment)
      void client.invalidateQueries({ queryKey: deploymentKeys.ofApp(appId) })
      await navigate({ to: paths.deployment(appId, deployment.id) })
    },
  })
}

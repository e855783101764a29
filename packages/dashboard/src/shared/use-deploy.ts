import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { toast } from '../components/toast.tsx'
import { deploymentKeys } from '../features/deployments/queries.ts'
import { call } from '../lib/api.ts'
import { paths } from '../paths.ts'

type Wanted = { appId: number; commit?: string; withoutCache?: boolean }

/** Deploys the newest commit, a given one, or the template, and opens the deployment. */
export function useDeploy() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (wanted: Wanted) => call('deployments.add', wanted),
    onSuccess: async ({ id }, { appId }) => {
      void client.invalidateQueries({ queryKey: deploymentKeys.ofApp(appId) })
      void client.invalidateQueries({ queryKey: deploymentKeys.running })
      await navigate({ to: paths.deployment(appId, id) })
    },
    onError: (error) => toast(error.message, 'bad'),
  })
}

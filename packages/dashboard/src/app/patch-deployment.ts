import type { BerthEvent, Deployment } from '@berth/contract'
import { STAGES } from '@berth/contract'
import type { QueryClient } from '@tanstack/react-query'
import { deploymentKeys } from '../features/deployments/queries.ts'

type Change = Extract<BerthEvent, { type: 'deployment.status_changed' }>['data']

function patched(deployment: Deployment, change: Change): Deployment {
  const stage = STAGES.find((each) => each === change.stage) ?? ''
  return { ...deployment, status: change.status, stage, progress: change.progress, error_message: change.errorMessage }
}

/** Writes a deployment's progress wherever the cache holds it, and says whether more than the progress changed. */
export function patchDeployment(client: QueryClient, change: Change): 'progress only' | 'status changed' {
  let known = false
  let moved = false
  const update = (deployment: Deployment): Deployment => {
    if (deployment.id !== change.deploymentId) return deployment
    known = true
    moved ||= deployment.status !== change.status
    return patched(deployment, change)
  }
  const lists = [deploymentKeys.running, deploymentKeys.ofApp(change.appId)]
  for (const queryKey of lists) client.setQueryData<Deployment[]>(queryKey, (list) => list?.map(update))
  client.setQueryData<Deployment>(deploymentKeys.one(change.deploymentId), (one) => one && update(one))
  return known && !moved ? 'progress only' : 'status changed'
}

import type { BerthEvent, Deployment } from '@berth/contract'
import { STAGES } from '@berth/contract'
import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { deploymentKeys } from '../features/deployments/queries.ts'

type Change = Extract<BerthEvent, { type: 'deployment.status_changed' }>['data']

function patched(deployment: Deployment, change: Change): Deployment {
  const stage = STAGES.find((each) => each === change.stage) ?? ''
  return { ...deployment, status: change.status, stage, progress: change.progress, error_message: change.errorMessage }
}

type Held = Deployment[] | Deployment | InfiniteData<Deployment[]> | null

/** Lists, pages of lists and single deployments are kept below one key. */
function updated(held: Held | undefined, update: (deployment: Deployment) => Deployment): Held | undefined {
  if (held === null || held === undefined) return held
  if (Array.isArray(held)) return held.map(update)
  return 'pages' in held ? { ...held, pages: held.pages.map((page) => page.map(update)) } : update(held)
}

/** Writes a deployment's progress wherever the cache holds it, and says whether more than the progress changed. */
export function patchDeployment(client: QueryClient, change: Change): 'progress only' | 'status changed' {
  let known = false
  let moved = false
  const update = (deployment: Deployment): Deployment => {
    if (deployment.id !== change.deploymentId) return deployment
    known = true
    moved ||= deployment.status !== change.status || (deployment.steps?.at(-1)?.name ?? '') !== change.step
    return patched(deployment, change)
  }
  client.setQueryData<Deployment[]>(deploymentKeys.running, (list) => list?.map(update))
  client.setQueriesData<Held>({ queryKey: deploymentKeys.ofApp(change.appId) }, (held) => updated(held, update))
  client.setQueryData<Deployment>(deploymentKeys.one(change.deploymentId), (one) => one && update(one))
  return known && !moved ? 'progress only' : 'status changed'
}

import { type BerthEvent, type Deployment, EVENTS } from '@berth/contract'
import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { deploymentKeys } from '../features/deployments/queries.ts'
import { staleAfter } from './live-events.ts'
import { patchDeployment } from './patch-deployment.ts'

const change = {
  projectId: 1,
  appId: 2,
  deploymentId: 9,
  status: 'building',
  stage: 'building_image',
  progress: 40,
  step: '',
  errorMessage: '',
} as const

function cacheWith(status: Deployment['status']): QueryClient {
  const client = new QueryClient()
  const deployment = { id: 9, app_id: 2, status, stage: 'cloning_repo', progress: 10, error_message: '' } as Deployment // only what is looked at
  client.setQueryData(deploymentKeys.running, [deployment])
  client.setQueryData(deploymentKeys.one(9), deployment)
  return client
}

describe('the bridge from events to the cache', () => {
  it('knows for every event what it makes stale', () => {
    const data = { projectId: 1, appId: 2, deploymentId: 3, domainId: 4, userId: 5 }
    for (const type of Object.keys(EVENTS)) {
      const event = { type, seq: 1, at: '', data } as unknown as BerthEvent // one shape with the ids of all
      expect(staleAfter(event).length, type).toBeGreaterThan(0)
    }
  })

  it('asks again for the one thing that changed, and for everything that may refer to it', () => {
    const event: BerthEvent = { type: 'env.changed', seq: 1, at: '', data: { projectId: 1, appId: 2 } }
    expect(staleAfter(event)).toContainEqual(['environment'])
    expect(staleAfter(event)).toContainEqual(['apps', 2, 'connection'])
  })

  it('writes progress into every place that shows it', () => {
    const client = cacheWith('building')
    expect(patchDeployment(client, change)).toBe('progress only')
    expect(client.getQueryData<Deployment[]>(deploymentKeys.running)?.[0]).toMatchObject({ progress: 40, stage: 'building_image' })
    expect(client.getQueryData(deploymentKeys.one(9))).toMatchObject({ progress: 40 })
  })

  it('asks the server when the status moved or the deployment is new', () => {
    expect(patchDeployment(cacheWith('pending'), change)).toBe('status changed')
    expect(patchDeployment(new QueryClient(), change)).toBe('status changed')
  })
})

import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const deploymentKeys = {
  all: ['deployments'],
  running: ['deployments', 'running'],
  ofApp: (appId: number) => ['deployments', 'app', appId],
  one: (id: number) => ['deployments', 'one', id],
} as const

export const runningDeployments = queryOptions({ queryKey: deploymentKeys.running, queryFn: () => call('deployments.running') })

export function deploymentsOfApp(appId: number) {
  return queryOptions({ queryKey: deploymentKeys.ofApp(appId), queryFn: () => call('deployments.listByApp', { appId }) })
}

export function deployment(id: number) {
  return queryOptions({ queryKey: deploymentKeys.one(id), queryFn: () => call('deployments.get', { id }) })
}

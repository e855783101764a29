import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

/** Under the key of the app, so that a change to the app refetches them. */
export const stackKeys = {
  services: (appId: number) => ['apps', appId, 'services'],
  ports: (appId: number) => ['apps', appId, 'ports'],
  file: (appId: number) => ['apps', appId, 'compose file'],
  plan: (appId: number) => ['apps', appId, 'compose plan'],
  running: (appId: number) => ['apps', appId, 'running compose file'],
} as const

export function services(appId: number) {
  return queryOptions({ queryKey: stackKeys.services(appId), queryFn: () => call('stacks.services', { appId }), refetchInterval: 5000 })
}

export function ports(appId: number) {
  return queryOptions({ queryKey: stackKeys.ports(appId), queryFn: () => call('stacks.ports', { appId }) })
}

export function composeFile(appId: number) {
  return queryOptions({ queryKey: stackKeys.file(appId), queryFn: () => call('stacks.file', { appId }) })
}

/** What a deployment of the app would run now. It may need a checkout, so it is not refetched automatically. */
export function composePlan(appId: number) {
  return queryOptions({
    queryKey: stackKeys.plan(appId),
    queryFn: () => call('stacks.plan', { appId }),
    retry: false,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })
}

export function runningFile(appId: number) {
  return queryOptions({ queryKey: stackKeys.running(appId), queryFn: () => call('stacks.running', { appId }) })
}

import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const appKeys = {
  all: ['apps'],
  list: ['apps', 'list'],
  one: (appId: number) => ['apps', appId, 'app'],
  ofOne: (appId: number) => ['apps', appId],
  container: (appId: number) => ['apps', appId, 'container'],
  lastFailedLog: (appId: number) => ['apps', appId, 'last failed log'],
  traffic: (appId: number) => ['apps', appId, 'traffic'],
  storage: (appId: number) => ['apps', appId, 'storage'],
  files: (appId: number) => ['apps', appId, 'files'],
  fileContent: (appId: number, path: string) => ['apps', appId, 'files', path],
  connection: (appId: number) => ['apps', appId, 'connection'],
} as const

export const apps = queryOptions({ queryKey: appKeys.list, queryFn: () => call('apps.listAll') })

export function app(appId: number) {
  return queryOptions({ queryKey: appKeys.one(appId), queryFn: () => call('apps.get', { appId }) })
}

export function container(appId: number) {
  return queryOptions({ queryKey: appKeys.container(appId), queryFn: () => call('containers.status', { appId }), refetchInterval: 15_000 })
}

/** Asked for only where no container is there to follow. */
export function lastFailedLog(appId: number) {
  return queryOptions({
    queryKey: appKeys.lastFailedLog(appId),
    queryFn: () => call('containers.logs', { appId, tail: 2000 }),
    refetchInterval: 15_000,
  })
}

export function traffic(appId: number) {
  return queryOptions({ queryKey: appKeys.traffic(appId), queryFn: () => call('apps.traffic', { appId }), refetchInterval: 10_000 })
}

export function storage(appId: number) {
  return queryOptions({ queryKey: appKeys.storage(appId), queryFn: () => call('apps.storage', { appId }), retry: false, staleTime: 60_000 })
}

export function files(appId: number) {
  return queryOptions({ queryKey: appKeys.files(appId), queryFn: () => call('files.list', { appId }) })
}

/** Not kept: contents can be secret. */
export function fileContent(appId: number, path: string) {
  return queryOptions({
    queryKey: appKeys.fileContent(appId, path),
    queryFn: () => call('files.read', { appId, path }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function connection(appId: number) {
  return queryOptions({ queryKey: appKeys.connection(appId), queryFn: () => call('apps.connection', { appId }), retry: false })
}

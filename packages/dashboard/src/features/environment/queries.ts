import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const environmentKeys = {
  all: ['environment'],
  ofApp: (appId: number) => ['environment', appId],
  ofProject: (projectId: number) => ['environment', 'project', projectId],
} as const

export function environmentOf(appId: number) {
  return queryOptions({ queryKey: environmentKeys.ofApp(appId), queryFn: () => call('envs.list', { appId }) })
}

export function variablesOfProject(projectId: number) {
  return queryOptions({ queryKey: environmentKeys.ofProject(projectId), queryFn: () => call('projectEnvs.list', { projectId }) })
}

/** Nested under the key of the variables, so that changing them invalidates this too. */
export function environmentChangesOf(appId: number, liveId: number | undefined) {
  return queryOptions({
    queryKey: [...environmentKeys.ofApp(appId), 'changes', liveId],
    queryFn: () => call('envs.changes', { appId }),
    placeholderData: keepPreviousData,
  })
}

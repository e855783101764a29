import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const environmentKeys = { all: ['environment'], ofApp: (appId: number) => ['environment', appId] } as const

export function environmentOf(appId: number) {
  return queryOptions({ queryKey: environmentKeys.ofApp(appId), queryFn: () => call('envs.list', { appId }) })
}

import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const settingsKeys = { all: ['settings'] } as const
export const settings = queryOptions({ queryKey: settingsKeys.all, queryFn: () => call('settings.get') })

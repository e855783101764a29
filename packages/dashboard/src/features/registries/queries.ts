import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const registryKeys = { all: ['registries'] } as const

export const registries = queryOptions({ queryKey: registryKeys.all, queryFn: () => call('registries.list') })

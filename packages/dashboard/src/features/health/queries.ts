import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const health = queryOptions({ queryKey: ['health'], queryFn: () => call('health'), refetchInterval: 10_000 })

export const diskUsage = queryOptions({ queryKey: ['disk'], queryFn: () => call('disk.usage'), retry: false })

export const backups = queryOptions({ queryKey: ['backups'], queryFn: () => call('backups.list') })

export const publishedPorts = queryOptions({ queryKey: ['published-ports'], queryFn: () => call('ports.list'), refetchInterval: 30_000 })

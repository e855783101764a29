import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const health = queryOptions({ queryKey: ['health'], queryFn: () => call('health'), refetchInterval: 10_000 })

export const diskUsage = queryOptions({ queryKey: ['disk'], queryFn: () => call('disk.usage'), retry: false })

/** Runs only when asked for: it reads the whole database. */
export const doctor = queryOptions({ queryKey: ['doctor'], queryFn: () => call('doctor.run'), enabled: false, retry: false })

export const backups = queryOptions({ queryKey: ['backups'], queryFn: () => call('backups.list') })

export const updateCheck = queryOptions({
  queryKey: ['updates', 'check'],
  queryFn: () => call('updates.check'),
  retry: false,
  staleTime: 600_000,
  refetchInterval: 3_600_000,
})

/** Asked often while an update runs, also while Berth restarts in the middle of it. */
export const updateStatus = queryOptions({
  queryKey: ['updates', 'status'],
  queryFn: () => call('updates.status'),
  retry: false,
  refetchInterval: ({ state }) => (state.data?.state === 'in_progress' ? 1000 : 60_000),
})

export const updateHistory = queryOptions({ queryKey: ['updates', 'history'], queryFn: () => call('updates.history') })

/** A node that is lost says nothing, so they are asked for as long as the page is open. */
export const nodes = queryOptions({ queryKey: ['nodes'], queryFn: () => call('nodes.list'), refetchInterval: 5000, retry: false })

export const publishedPorts = queryOptions({ queryKey: ['published-ports'], queryFn: () => call('ports.list'), refetchInterval: 30_000 })

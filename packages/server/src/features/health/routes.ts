import type { Health } from '@berth/contract'
import type { Handlers } from '../../http/implement.ts'
import { AppError } from '../../lib/app-error.ts'
import type { StorageState } from '../../store/database.ts'

type Part<State> = { state: State; message: string }

export type HealthSources = {
  version: string
  startedAt: Date
  now: () => Date
  database: () => StorageState
  /** The database is not on this machine's disk. */
  hasDatabaseServer?: boolean
  engine: () => Part<Health['checks']['engine']>
  edge: () => Part<Health['checks']['edge']>
  isQueueStalled: () => Promise<boolean>
  isDiskFull: () => Promise<boolean>
  /** Set while apps can reach what they should not. */
  firewall: () => string
  /** Set while the dashboard's own domain has no certificate, or its renewal fails. */
  dashboardCertificate: () => string
  /** Of several nodes: its proxy may not have the routes that the others have. */
  isBehind?: () => boolean
}

const DATABASE_WORDS = {
  ok: '',
  read_only:
    'The disk is full or read-only. You can still read everything; if the disk is full, you can also stop and delete things to free space. Other changes are refused.',
  unusable: '',
} as const
const SERVER_READ_ONLY =
  'The database server does not accept writes. You can still read everything, and apps keep running. Changes are refused.'

const BEHIND = 'This node has not read the routes from the database for a while. Visitors should use the proxies of the other nodes.'

/** The server is still useful if everything except the database is down. */
export function healthHandlers(sources: HealthSources) {
  return {
    health: async (): Promise<Health> => {
      const database = sources.database()
      if (database === 'unusable') throw new AppError('storage_unavailable', { message: 'The database cannot be used.' })
      if (sources.isBehind?.()) throw new AppError('storage_unavailable', { message: BEHIND })
      const engine = sources.engine()
      const edge = sources.edge()
      const queue = (await sources.isQueueStalled()) ? 'stalled' : 'ok'
      const isWell = database === 'ok' && engine.state === 'ok' && (edge.state === 'ok' || edge.state === 'off') && queue === 'ok'
      const isServerReadOnly = database === 'read_only' && sources.hasDatabaseServer === true
      const words = {
        database: isServerReadOnly ? SERVER_READ_ONLY : DATABASE_WORDS[database],
        engine: engine.message,
        edge: edge.message,
        queue:
          queue === 'stalled' && !isServerReadOnly && (await sources.isDiskFull())
            ? 'The disk is full. Queued deployments wait until there is space.'
            : '',
        firewall: sources.firewall(),
        dashboard: sources.dashboardCertificate(),
      }
      return {
        status: isWell ? 'ok' : 'degraded',
        version: sources.version,
        uptime: Math.floor((sources.now().getTime() - sources.startedAt.getTime()) / 1000),
        checks: { database, engine: engine.state, edge: edge.state, queue },
        messages: Object.fromEntries(Object.entries(words).filter(([, text]) => text !== '')),
      }
    },
  } satisfies Partial<Handlers>
}

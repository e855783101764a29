import type { AppStatus } from '@berth/contract'
import { typesWhere } from '../domain/app-kinds.ts'
import type { Reader } from '../store/database.ts'

const ROUTED = typesWhere(({ isRouted }) => isRouted)

export type RoutedDomain = {
  host: string
  appId: number
  /** Empty for the app itself. */
  service: string
  /** Null for the app's own. */
  port: number | null
  redirectHttps: boolean
  hsts: boolean
}
export type RoutedApp = {
  id: number
  projectId: number
  /** Of the project. */
  ownerId: number
  port: number | null
  replicas: number
  status: AppStatus
  wanted: 'running' | 'stopped'
  activeId: number | null
  /** Of a compose app: the service that has the app's port. */
  mainService: string | null
}

/** Of all apps, or of one. */
export async function routedDomains(db: Reader, appId?: number): Promise<RoutedDomain[]> {
  const columns = ['host', 'app_id as appId', 'service', 'port', 'redirect_https', 'hsts'] as const
  const all = db.selectFrom('domain').select(columns).orderBy('id')
  const rows = await (appId === undefined ? all : all.where('app_id', '=', appId)).execute()
  return rows.map(({ redirect_https, hsts, ...row }) => ({ ...row, redirectHttps: redirect_https === 1, hsts: hsts === 1 }))
}

export async function routedApps(db: Reader): Promise<RoutedApp[]> {
  return await routed(db).execute()
}

export async function routedApp(db: Reader, appId: number): Promise<RoutedApp | undefined> {
  return await routed(db).where('app.id', '=', appId).executeTakeFirst()
}

function routed(db: Reader) {
  return db
    .selectFrom('app')
    .innerJoin('project', 'project.id', 'app.project_id')
    .leftJoin('deployment', (join) => join.onRef('deployment.app_id', '=', 'app.id').on('deployment.is_active', '=', 1))
    .select(['app.id', 'app.project_id as projectId', 'app.port', 'app.replicas', 'app.status', 'app.wanted', 'deployment.id as activeId'])
    .select(['deployment.main_service as mainService', 'project.owner_id as ownerId'])
    .where('app.app_type', 'in', ROUTED)
}

/** One release at a time: all of them together may not fit into memory. */
export async function sealedConfigOf(db: Reader, deploymentId: number): Promise<string> {
  const row = await db.selectFrom('deployment').select('sealed_config').where('id', '=', deploymentId).executeTakeFirst()
  return row?.sealed_config ?? ''
}

import type { AppStatus } from '@berth/contract'
import { typesThat } from '../domain/app-kinds.ts'
import type { Reader } from '../store/database.ts'

const ROUTED = typesThat(({ isRouted }) => isRouted)

export type RoutedDomain = { host: string; appId: number; redirectHttps: boolean; hsts: boolean }
export type RoutedApp = {
  id: number
  projectId: number
  port: number | null
  status: AppStatus
  wanted: 'running' | 'stopped'
  activeId: number | null
}

export async function routedDomains(db: Reader): Promise<RoutedDomain[]> {
  const rows = await db.selectFrom('domain').select(['host', 'app_id', 'redirect_https', 'hsts']).orderBy('id').execute()
  return rows.map((row) => ({ host: row.host, appId: row.app_id, redirectHttps: row.redirect_https === 1, hsts: row.hsts === 1 }))
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
    .leftJoin('deployment', (join) => join.onRef('deployment.app_id', '=', 'app.id').on('deployment.is_active', '=', 1))
    .select(['app.id', 'app.project_id as projectId', 'app.port', 'app.status', 'app.wanted', 'deployment.id as activeId'])
    .where('app.app_type', 'in', ROUTED)
}

/** One release at a time: all of them together may not fit into memory. */
export async function sealedConfigOf(db: Reader, deploymentId: number): Promise<string> {
  const row = await db.selectFrom('deployment').select('sealed_config').where('id', '=', deploymentId).executeTakeFirst()
  return row?.sealed_config ?? ''
}

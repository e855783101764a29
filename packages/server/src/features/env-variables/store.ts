import type { Insertable, Updateable } from 'kysely'
import type { AppRow, DeploymentRow, DomainRow, EnvVariableRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { EnvVariableTable } from '../../store/schema.ts'

export async function listEnvVariables(db: Reader, appId: number): Promise<EnvVariableRow[]> {
  return await db.selectFrom('env_variable').selectAll().where('app_id', '=', appId).orderBy('id').execute()
}

export async function listEnvVariablesNamed(db: Reader, appId: number, keys: readonly string[]): Promise<EnvVariableRow[]> {
  return await db.selectFrom('env_variable').selectAll().where('app_id', '=', appId).where('key', 'in', keys).orderBy('id').execute()
}

export type ReferredAppRow = Pick<AppRow, 'id' | 'slug' | 'port' | 'app_type' | 'template_name'>

export async function listReferredApps(db: Reader, projectId: number): Promise<ReferredAppRow[]> {
  const columns = ['id', 'slug', 'port', 'app_type', 'template_name'] as const
  return await db.selectFrom('app').select(columns).where('project_id', '=', projectId).orderBy('id').execute()
}

export async function listHosts(db: Reader, appId: number): Promise<Pick<DomainRow, 'host' | 'ssl_status' | 'dns_status'>[]> {
  return await db.selectFrom('domain').select(['host', 'ssl_status', 'dns_status']).where('app_id', '=', appId).orderBy('id').execute()
}

/** The live release with what it was started with, sealed. */
export async function findLiveConfig(db: Reader, appId: number): Promise<Pick<DeploymentRow, 'id' | 'sealed_config'> | undefined> {
  return await db
    .selectFrom('deployment')
    .select(['id', 'sealed_config'])
    .where('app_id', '=', appId)
    .where('is_active', '=', 1)
    .executeTakeFirst()
}

export async function insertEnvVariable(tx: Tx, variable: Insertable<EnvVariableTable>): Promise<EnvVariableRow> {
  return await tx.insertInto('env_variable').values(variable).returningAll().executeTakeFirstOrThrow()
}

export async function updateEnvVariable(tx: Tx, id: number, change: Updateable<EnvVariableTable>): Promise<EnvVariableRow | undefined> {
  return await tx.updateTable('env_variable').set(change).where('id', '=', id).returningAll().executeTakeFirst()
}

export async function deleteEnvVariable(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('env_variable').where('id', '=', id).execute()
}

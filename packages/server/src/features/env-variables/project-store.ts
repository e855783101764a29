import type { Insertable, Updateable } from 'kysely'
import type { ProjectVariableRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { ProjectVariableTable } from '../../store/schema.ts'

export async function listProjectVariables(db: Reader, projectId: number): Promise<ProjectVariableRow[]> {
  return await db.selectFrom('project_variable').selectAll().where('project_id', '=', projectId).orderBy('id').execute()
}

export async function listProjectVariablesNamed(db: Reader, projectId: number, keys: readonly string[]): Promise<ProjectVariableRow[]> {
  const named = db.selectFrom('project_variable').selectAll().where('project_id', '=', projectId).where('key', 'in', keys)
  return await named.orderBy('id').execute()
}

export async function insertProjectVariable(tx: Tx, variable: Insertable<ProjectVariableTable>): Promise<void> {
  await tx.insertInto('project_variable').values(variable).execute()
}

export async function updateProjectVariable(tx: Tx, id: number, change: Updateable<ProjectVariableTable>): Promise<void> {
  await tx.updateTable('project_variable').set(change).where('id', '=', id).execute()
}

export async function deleteProjectVariable(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('project_variable').where('id', '=', id).execute()
}

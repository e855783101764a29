import type { ProjectVariable } from '@berth/contract'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import type { ProjectRow, ProjectVariableRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { environmentProblem, environmentSize } from '../../lib/environment-size.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import { isReferenceViolation } from '../../store/storage-failure.ts'
import { changedKeys } from './changed-keys.ts'
import {
  deleteProjectVariable,
  insertProjectVariable,
  listProjectVariables,
  listProjectVariablesNamed,
  updateProjectVariable,
} from './project-store.ts'

type Pair = { key: string; value: string }

export function aboutProjectVariable(projectId: number): string {
  return `project-env:${projectId}`
}

/** Variables of a project. Apps do not get them automatically: their own variables refer to them. */
export function createProjectVariables({ db, secrets, now }: { db: Db; secrets: SecretBox; now: () => Date }) {
  const valueOf = (row: ProjectVariableRow) => secrets.open(row.sealed_value, aboutProjectVariable(row.project_id))
  const sizeOf = (rows: readonly ProjectVariableRow[]) => environmentSize(rows.map((row) => ({ key: row.key, value: valueOf(row) })))

  function present(row: ProjectVariableRow): ProjectVariable {
    const { id, project_id: projectId, key, created_at: createdAt, updated_at: updatedAt } = row
    return { id, projectId, key, value: valueOf(row), createdAt, updatedAt }
  }

  async function list(project: ProjectRow): Promise<ProjectVariable[]> {
    return (await listProjectVariables(db, project.id)).map(present)
  }

  async function readNamed(reader: Reader, projectId: number, keys: readonly string[]): Promise<Map<string, string>> {
    return new Map((await listProjectVariablesNamed(reader, projectId, keys)).map((row) => [row.key, valueOf(row)]))
  }

  /** An unchanged value keeps its row. */
  async function write(tx: Tx, projectId: number, wanted: Map<string, string>): Promise<void> {
    const at = now().toISOString()
    const sealed = (value: string) => secrets.seal(value, aboutProjectVariable(projectId))
    for (const row of await listProjectVariables(tx, projectId)) {
      const value = wanted.get(row.key)
      if (value === undefined) await deleteProjectVariable(tx, row.id)
      else if (value !== valueOf(row)) await updateProjectVariable(tx, row.id, { sealed_value: sealed(value), updated_at: at })
      wanted.delete(row.key)
    }
    for (const [key, value] of wanted)
      await insertProjectVariable(tx, { project_id: projectId, key, sealed_value: sealed(value), created_at: at, updated_at: at })
  }

  async function replace(caller: Caller, project: ProjectRow, pairs: readonly Pair[]): Promise<ProjectVariable[]> {
    const wanted = new Map(pairs.map(({ key, value }) => [key, value]))
    if (wanted.size !== pairs.length) throw fieldError('invalid_request', 'variables', 'must name each key once')
    const at = now()
    const change = db.transaction(async (tx) => {
      const before = await listProjectVariables(tx, project.id)
      await write(tx, project.id, wanted)
      const after = await listProjectVariables(tx, project.id)
      const problem = environmentProblem(sizeOf(after), sizeOf(before), 'project')
      if (problem) throw fieldError('invalid_request', 'variables', problem)
      const words = { action: 'project.env_replace', subject: 'project', subjectId: project.id, after: changedKeys(before, after) }
      await recordAudit(tx, at, caller, words)
      await appendEvent(tx, at, { type: 'project.env_changed', data: { projectId: project.id } })
    })
    await change.catch((cause: unknown) => {
      if (isReferenceViolation(cause)) throw new AppError('project_not_found', { cause }) // deleted meanwhile
      throw cause
    })
    return await list(project)
  }

  return { list, readNamed, replace }
}

export type ProjectVariables = ReturnType<typeof createProjectVariables>

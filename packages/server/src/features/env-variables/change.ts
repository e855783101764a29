import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import type { AppRow, EnvVariableRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { fieldError } from '../../lib/app-error.ts'
import { type EnvironmentSize, environmentProblem, environmentSize } from '../../lib/environment-size.ts'
import type { Db, Tx } from '../../store/database.ts'
import { createUnlessTaken } from '../../store/unless-taken.ts'
import { changedKeys } from './changed-keys.ts'
import { listEnvVariables } from './store.ts'

type Words = { action: string; field: string }
type Rows = readonly EnvVariableRow[]
type ValueOf = (row: EnvVariableRow) => string

const unlessTaken = createUnlessTaken('env_variable.key', 'env_key_taken', {
  field: 'key',
  message: 'is already taken in this app',
})

function sizeOf(rows: Rows, valueOf: ValueOf): EnvironmentSize {
  return environmentSize(rows.map((row) => ({ key: row.key, value: valueOf(row) })))
}

/** Runs the change, and refuses it if the environment becomes too large. Also returns the names of the changed variables. */
export async function withinLimits<Result>(
  tx: Tx,
  of: { appId: number; field: string; valueOf: ValueOf },
  work: (tx: Tx) => Promise<Result>,
) {
  const { appId, field, valueOf } = of
  const before = await listEnvVariables(tx, appId)
  const result = await work(tx)
  const after = await listEnvVariables(tx, appId)
  const problem = environmentProblem(sizeOf(after, valueOf), sizeOf(before, valueOf))
  if (problem) throw fieldError('invalid_request', field, problem)
  return { result, changed: changedKeys(before, after) }
}

/** A change within the limits, with its audit line and event in one transaction. Only keys are recorded, never values. */
export function createChange({ db, now, valueOf }: { db: Db; now: () => Date; valueOf: ValueOf }) {
  return async <Result>(caller: Caller, app: AppRow, words: Words, work: (tx: Tx) => Promise<Result>): Promise<Result> => {
    const at = now()
    return await unlessTaken(
      db.transaction(async (tx) => {
        const { result, changed } = await withinLimits(tx, { appId: app.id, field: words.field, valueOf }, work)
        await recordAudit(tx, at, caller, { action: words.action, subject: 'app', subjectId: app.id, after: changed })
        await appendEvent(tx, at, { type: 'env.changed', data: { projectId: app.project_id, appId: app.id } })
        return result
      }),
    )
  }
}

import type { EnvChanges, EnvVariable } from '@berth/contract'
import { recordAudit } from '../../events/audit-log.ts'
import { appendEvent } from '../../events/event-log.ts'
import type { Caller } from '../../http/caller.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import type { AppRow, EnvVariableRow } from '../../store/rows.ts'
import { isUniqueViolation } from '../../store/storage-failure.ts'
import { environmentChanges, type Released } from './changes.ts'
import { deleteEnvVariable, findLiveConfig, insertEnvVariable, listEnvVariables, updateEnvVariable } from './store.ts'

type Deps = { db: Db; secrets: SecretBox; openRelease: (appId: number, sealed: string) => Released; now: () => Date }
type Pair = { key: string; value: string }

async function unlessTaken<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (cause) {
    if (isUniqueViolation(cause, 'env_variable.key'))
      throw new AppError('env_key_taken', { details: [{ field: 'key', message: 'is taken in this application' }], cause })
    throw cause
  }
}

function about(appId: number): string {
  return `env:${appId}`
}

/** Environment variables; their values are sealed before they reach the database. */
export function createEnvVariables(deps: Deps) {
  const { db, secrets, now } = deps

  function present(row: EnvVariableRow): EnvVariable {
    const value = secrets.open(row.sealed_value, about(row.app_id))
    return { id: row.id, appId: row.app_id, key: row.key, value, createdAt: row.created_at, updatedAt: row.updated_at }
  }

  async function insert(tx: Tx, appId: number, pair: Pair): Promise<EnvVariableRow> {
    const at = now().toISOString()
    return await insertEnvVariable(tx, {
      app_id: appId,
      key: pair.key,
      sealed_value: secrets.seal(pair.value, about(appId)),
      created_at: at,
      updated_at: at,
    })
  }

  /** The change, its audit line and its event, in one transaction. Keys are kept, values never. */
  async function change<Result>(
    caller: Caller,
    app: AppRow,
    words: { action: string; keys: readonly string[] },
    work: (tx: Tx) => Promise<Result>,
  ): Promise<Result> {
    const at = now()
    return await unlessTaken(
      db.transaction(async (tx) => {
        const result = await work(tx)
        await recordAudit(tx, at, caller, { action: words.action, subject: 'app', subjectId: app.id, after: { keys: words.keys } })
        await appendEvent(tx, at, { type: 'env.changed', data: { projectId: app.project_id, appId: app.id } })
        return result
      }),
    )
  }

  async function list(app: AppRow): Promise<EnvVariable[]> {
    return (await listEnvVariables(db, app.id)).map(present)
  }

  /** A release from before settings were recorded has none; then nothing can be said. */
  async function changes(app: AppRow): Promise<EnvChanges> {
    const live = await findLiveConfig(db, app.id)
    if (!live?.sealed_config) return { deploymentId: null, changes: [] }
    return { deploymentId: live.id, changes: environmentChanges(await read(db, app.id), deps.openRelease(app.id, live.sealed_config)) }
  }

  async function create(caller: Caller, app: AppRow, input: Pair): Promise<EnvVariable> {
    return present(await change(caller, app, { action: 'env.create', keys: [input.key] }, async (tx) => await insert(tx, app.id, input)))
  }

  async function update(caller: Caller, app: AppRow, variable: EnvVariableRow, input: Partial<Pair>): Promise<EnvVariable> {
    const key = input.key ?? variable.key
    const sealed = input.value === undefined ? variable.sealed_value : secrets.seal(input.value, about(app.id))
    const row = await change(caller, app, { action: 'env.update', keys: [...new Set([variable.key, key])] }, async (tx) => {
      const changed = await updateEnvVariable(tx, variable.id, { key, sealed_value: sealed, updated_at: now().toISOString() })
      if (!changed) throw new AppError('env_variable_not_found')
      return changed
    })
    return present(row)
  }

  async function remove(caller: Caller, app: AppRow, variable: EnvVariableRow): Promise<{ id: number }> {
    await change(caller, app, { action: 'env.delete', keys: [variable.key] }, async (tx) => await deleteEnvVariable(tx, variable.id))
    return { id: variable.id }
  }

  /** All at once: what is not named goes, what is named comes or changes, and an unchanged value keeps its row. */
  async function replace(caller: Caller, app: AppRow, pairs: readonly Pair[]): Promise<EnvVariable[]> {
    const wanted = new Map(pairs.map((pair) => [pair.key, pair.value]))
    if (wanted.size !== pairs.length) throw fieldError('invalid_request', 'variables', 'must name each key once')
    await change(caller, app, { action: 'env.replace', keys: [...wanted.keys()] }, async (tx) => {
      for (const row of await listEnvVariables(tx, app.id)) {
        const value = wanted.get(row.key)
        if (value === undefined) await deleteEnvVariable(tx, row.id)
        else if (value !== present(row).value)
          await updateEnvVariable(tx, row.id, { sealed_value: secrets.seal(value, about(app.id)), updated_at: now().toISOString() })
        wanted.delete(row.key)
      }
      for (const [key, value] of wanted) await insert(tx, app.id, { key, value })
    })
    return await list(app)
  }

  async function insertMany(tx: Tx, appId: number, variables: Readonly<Record<string, string>>): Promise<void> {
    for (const [key, value] of Object.entries(variables)) await insert(tx, appId, { key, value })
  }

  async function read(reader: Reader, appId: number): Promise<Record<string, string>> {
    return Object.fromEntries((await listEnvVariables(reader, appId)).map(present).map(({ key, value }) => [key, value]))
  }

  return { list, changes, create, update, remove, replace, insertMany, read }
}

export type EnvVariables = ReturnType<typeof createEnvVariables>

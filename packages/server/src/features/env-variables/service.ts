import type { EnvVariable } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import type { AppRow, EnvVariableRow } from '../../domain/rows.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import { createChange, withinLimits } from './change.ts'
import { deleteEnvVariable, insertEnvVariable, listEnvVariables, listEnvVariablesNamed, updateEnvVariable } from './store.ts'

type Deps = { db: Db; secrets: SecretBox; now: () => Date }
type Pair = { key: string; value: string }

export function aboutVariable(appId: number): string {
  return `env:${appId}`
}

/** Rows with encrypted values. */
function createSealedRows({ secrets, now }: Pick<Deps, 'secrets' | 'now'>) {
  const valueOf = (row: EnvVariableRow) => secrets.open(row.sealed_value, aboutVariable(row.app_id))

  function present(row: EnvVariableRow): EnvVariable {
    return { id: row.id, appId: row.app_id, key: row.key, value: valueOf(row), createdAt: row.created_at, updatedAt: row.updated_at }
  }

  async function insert(tx: Tx, appId: number, pair: Pair): Promise<EnvVariableRow> {
    const at = now().toISOString()
    return await insertEnvVariable(tx, {
      app_id: appId,
      key: pair.key,
      sealed_value: secrets.seal(pair.value, aboutVariable(appId)),
      created_at: at,
      updated_at: at,
    })
  }

  return { valueOf, present, insert }
}

/** Environment variables; their values are sealed before they reach the database. */
export function createEnvVariables(deps: Deps) {
  const { db, secrets, now } = deps
  const { valueOf, present, insert } = createSealedRows(deps)
  const change = createChange({ db, now, valueOf })

  async function list(app: AppRow): Promise<EnvVariable[]> {
    return (await listEnvVariables(db, app.id)).map(present)
  }

  async function create(caller: Caller, app: AppRow, input: Pair): Promise<EnvVariable> {
    return present(await change(caller, app, { action: 'env.create', field: 'value' }, async (tx) => await insert(tx, app.id, input)))
  }

  async function update(caller: Caller, app: AppRow, variable: EnvVariableRow, input: Partial<Pair>): Promise<EnvVariable> {
    // Only what was given: the rest of the row may have been changed since it was read.
    const given = {
      ...(input.key !== undefined && { key: input.key }),
      ...(input.value !== undefined && { sealed_value: secrets.seal(input.value, aboutVariable(app.id)) }),
    }
    const row = await change(caller, app, { action: 'env.update', field: 'value' }, async (tx) => {
      const changed = await updateEnvVariable(tx, variable.id, { ...given, updated_at: now().toISOString() })
      if (!changed) throw new AppError('env_variable_not_found')
      return changed
    })
    return present(row)
  }

  async function remove(caller: Caller, app: AppRow, variable: EnvVariableRow): Promise<{ id: number }> {
    await change(caller, app, { action: 'env.delete', field: 'id' }, async (tx) => await deleteEnvVariable(tx, variable.id))
    return { id: variable.id }
  }

  /** Replaces all variables: those not given are removed, and unchanged values keep their rows. */
  async function replace(caller: Caller, app: AppRow, pairs: readonly Pair[]): Promise<EnvVariable[]> {
    const wanted = new Map(pairs.map((pair) => [pair.key, pair.value]))
    if (wanted.size !== pairs.length) throw fieldError('invalid_request', 'variables', 'must name each key once')
    await change(caller, app, { action: 'env.replace', field: 'variables' }, async (tx) => {
      for (const row of await listEnvVariables(tx, app.id)) {
        const value = wanted.get(row.key)
        if (value === undefined) await deleteEnvVariable(tx, row.id)
        else if (value !== present(row).value)
          await updateEnvVariable(tx, row.id, { sealed_value: secrets.seal(value, aboutVariable(app.id)), updated_at: now().toISOString() })
        wanted.delete(row.key)
      }
      for (const [key, value] of wanted) await insert(tx, app.id, { key, value })
    })
    return await list(app)
  }

  async function insertMany(tx: Tx, appId: number, variables: Readonly<Record<string, string>>): Promise<void> {
    await withinLimits(tx, { appId, field: 'envVars', valueOf }, async () => {
      for (const [key, value] of Object.entries(variables)) await insert(tx, appId, { key, value })
    })
  }

  async function read(reader: Reader, appId: number): Promise<Record<string, string>> {
    return Object.fromEntries((await listEnvVariables(reader, appId)).map(present).map(({ key, value }) => [key, value]))
  }

  async function readNamed(reader: Reader, appId: number, keys: readonly string[]): Promise<Map<string, string>> {
    return new Map((await listEnvVariablesNamed(reader, appId, keys)).map((row) => [row.key, valueOf(row)]))
  }

  return { list, create, update, remove, replace, insertMany, read, readNamed }
}

export type EnvVariables = ReturnType<typeof createEnvVariables>

import { type Compilable, type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Reader } from './database.ts'
import { dialectOf } from './dialect.ts'

export type Placeholders<Values> = { [Name in keyof Values]: RawBuilder<Exclude<Values[Name], undefined>> }
/** `names` says for each parameter which value it is; one without a name is constant. */
type Built<Row> = { query: CompiledQuery<Row>; names: readonly (string | undefined)[] }

/**
 * A statement that is built once for each set of fields, because building one takes longer than running most of ours. Its text may depend on
 * which fields it is given, but not on their values.
 */
export function statement<Handle extends Reader, Values extends object, Row>(
  build: (db: Handle, values: Placeholders<Values>) => Compilable<Row>,
): (db: Handle, values: Values) => Promise<Row[]> {
  const known = { sqlite: new Map<string, Built<Row>>(), postgres: new Map<string, Built<Row>>() }

  function buildFor(db: Handle, fields: readonly string[]): Built<Row> {
    const placeholders = fields.map((name) => ({ name }))
    const given = Object.fromEntries(placeholders.map((placeholder) => [placeholder.name, sql`${placeholder}`]))
    const query = build(db, given as Placeholders<Values>).compile() // one for each field of the values
    return { query, names: query.parameters.map((parameter) => placeholders.find((placeholder) => placeholder === parameter)?.name) }
  }

  return async (db, values) => {
    const given = values as Record<string, unknown> // read by its own field names
    const fields = Object.keys(given).filter((name) => given[name] !== undefined) // Kysely leaves those out too
    const key = fields.join()
    const builtFor = known[dialectOf(db)]
    const { query, names } = builtFor.get(key) ?? buildFor(db, fields)
    if (!builtFor.has(key)) builtFor.set(key, { query, names })
    const parameters = names.map((name, n) => (name === undefined ? query.parameters[n] : given[name]))
    return (await db.executeQuery<Row>({ ...query, parameters })).rows
  }
}

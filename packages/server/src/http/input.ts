import type { TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { AppError, type FieldProblem } from '../lib/app-error.ts'

type Field = { name: string; isOptional: boolean; isLenient: boolean; expects: string; check: (value: unknown) => boolean }

/** Only copies fields of the schema: others, such as `__proto__`, have no effect. */
export type ReadInput = (input: unknown) => Record<string, unknown>

function wordsOf(schema: TSchema): string {
  return 'expects' in schema && typeof schema.expects === 'string' ? schema.expects : 'a valid value'
}

function hasFlag(schema: TSchema, flag: string): boolean {
  if (flag in schema) return true
  return 'anyOf' in schema && Array.isArray(schema.anyOf) && schema.anyOf.some((option: TSchema) => flag in option)
}

function fieldsOf(schema: TObject): Field[] {
  const required = new Set<string>(schema.required ?? [])
  return Object.entries(schema.properties).map(([name, property]) => {
    const validator = Compile(property)
    const isLenient = hasFlag(property, 'lenient')
    return { name, isOptional: !required.has(name), isLenient, expects: wordsOf(property), check: (value) => validator.Check(value) }
  })
}

/** For ids and counts a string of digits is accepted as a number, as the interface requires. */
function lenient(value: unknown): unknown {
  if (typeof value !== 'string' || !/^-?\d{1,16}$/.test(value)) return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

function readField(field: Field, given: Record<string, unknown>): { value?: unknown; problem?: FieldProblem } {
  if (!Object.hasOwn(given, field.name) || given[field.name] === undefined) {
    return field.isOptional ? {} : { problem: { field: field.name, message: `is required: it must be ${field.expects}` } }
  }
  const raw = given[field.name]
  if (Array.isArray(raw) && field.isLenient) return { problem: { field: field.name, message: 'must be given once' } }
  const value = field.isLenient ? lenient(raw) : raw
  if (!field.check(value)) return { problem: { field: field.name, message: `must be ${field.expects}` } }
  return { value }
}

/** Compiled on first use: most operations of a process are never called. */
export function createReadInput(schema: TObject, place: 'body' | 'query' | 'path'): ReadInput {
  let fields: Field[] | undefined
  return (input) => {
    fields ??= fieldsOf(schema)
    const given = input ?? {}
    if (typeof given !== 'object' || Array.isArray(given))
      throw new AppError('invalid_request', { message: `The ${place} must be a JSON object.` })
    const result: Record<string, unknown> = {}
    const problems: FieldProblem[] = []
    for (const field of fields) {
      const { value, problem } = readField(field, given as Record<string, unknown>) // an object that is not an array is a record
      if (problem) problems.push(problem)
      else if (value !== undefined) result[field.name] = value
    }
    const [first] = problems
    if (first) throw new AppError('invalid_request', { message: `${first.field} ${first.message}.`, details: problems })
    return result
  }
}

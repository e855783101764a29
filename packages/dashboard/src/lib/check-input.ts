import { type OperationName, operations } from '@berth/contract'

/** The part of JSON Schema that the contract's request bodies use. */
type Schema = {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  anyOf?: Schema[]
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  expects?: string
}

export type Problem = { field: string; message: string }

/** Checks an input against the contract's own schema, so that a form answers before the server does. */
export function checkInput(name: OperationName, input: Record<string, unknown>): Problem[] {
  const line: { path: string; body?: object } = operations[name]
  const schema: Schema | undefined = line.body // a TypeBox schema is JSON Schema
  const required = new Set(schema?.required)
  return Object.entries(schema?.properties ?? {}).flatMap(([field, part]) => {
    const value = input[field]
    if (value === undefined) return required.has(field) ? [{ field, message: sentence(field, part) }] : []
    return accepts(part, value) ? [] : [{ field, message: sentence(field, part) }]
  })
}

function sentence(field: string, schema: Schema): string {
  return `${field} must be ${schema.expects ?? 'given'}.`
}

function accepts(schema: Schema, value: unknown): boolean {
  if (schema.anyOf) return schema.anyOf.some((option) => accepts(option, value))
  if (schema.enum) return schema.enum.includes(value)
  if (schema.type === 'null') return value === null
  if (schema.type === 'string') return typeof value === 'string' && acceptsText(schema, value)
  if (schema.type === 'integer') return Number.isInteger(value) && acceptsNumber(schema, Number(value))
  if (schema.type === 'number') return typeof value === 'number' && acceptsNumber(schema, value)
  if (schema.type === 'boolean') return typeof value === 'boolean'
  if (schema.type === 'array') return Array.isArray(value) && value.every((item) => !schema.items || accepts(schema.items, item))
  return true
}

function acceptsText({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern }: Schema, text: string): boolean {
  return text.length >= minLength && text.length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(text))
}

function acceptsNumber({ minimum, maximum, exclusiveMinimum }: Schema, number: number): boolean {
  return (
    Number.isFinite(number) &&
    (minimum === undefined || number >= minimum) &&
    (maximum === undefined || number <= maximum) &&
    (exclusiveMinimum === undefined || number > exclusiveMinimum)
  )
}

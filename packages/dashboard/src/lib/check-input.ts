import { type OperationName, operations } from '@berth/contract'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/schema'

type Body = { properties: Record<string, TSchema>; required?: string[] | undefined }

export type Problem = { field: string; message: string }

/** Checks an input field by field against the schema that the server uses, so that a form answers before the server does. */
export function checkInput(name: OperationName, input: Record<string, unknown>): Problem[] {
  const { body }: { path: string; body?: Body } = operations[name]
  const required = new Set(body?.required)
  return Object.entries(body?.properties ?? {}).flatMap(([field, schema]) => {
    const value = input[field]
    const isValid = value === undefined ? !required.has(field) : Check(schema, value)
    return isValid ? [] : [{ field, message: `${field} must be ${expectation(schema)}.` }]
  })
}

function expectation(schema: TSchema): string {
  return 'expects' in schema && typeof schema.expects === 'string' ? schema.expects : 'given'
}

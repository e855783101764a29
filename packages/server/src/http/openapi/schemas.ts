import { ERRORS, namedSchemas } from '@berth/contract'
import type { TSchema } from 'typebox'

export type Json = Record<string, unknown>

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

const FAILURE: Json = {
  type: 'object',
  required: ['success', 'error', 'code'],
  properties: {
    success: { type: 'boolean', const: false },
    error: { type: 'string', description: 'A sentence for people' },
    code: { $ref: '#/components/schemas/ErrorCode' },
    details: {
      type: 'array',
      description: 'The fields that are wrong',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}
const ERROR_CODE: Json = { type: 'string', enum: Object.keys(ERRORS), description: 'Stable, for programs' }

/** Turns the contract's schemas into those of OpenAPI. A named type becomes a reference, and is described once in `components`. */
export function createSchemas() {
  const names = namedSchemas()
  const components: Record<string, Json> = { Failure: FAILURE, ErrorCode: ERROR_CODE }

  function reference(schema: TSchema): Json {
    const name = names.get(schema)
    if (name === undefined) return plain(schema)
    components[name] ??= plain(schema)
    return { $ref: `#/components/schemas/${name}` }
  }

  function below(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(below)
    return typeof value === 'object' && value !== null ? reference(value) : value
  }

  function plain(schema: TSchema): Json {
    const result: Json = {}
    for (const [key, value] of entriesOf(schema)) {
      if (key === 'lenient' || key.startsWith('~')) continue
      if (key === 'expects') result['description'] ??= value
      else if (key === 'patternProperties') Object.assign(result, mapOf(value))
      else if (key === 'properties') result[key] = Object.fromEntries(entriesOf(value).map(([name, each]) => [name, below(each)]))
      else if (!(key in result)) result[key] = below(value)
    }
    if (Array.isArray(result['enum'])) result['type'] ??= 'string' // every enumeration of the contract is one of words
    return result
  }

  /** A map with keys of one pattern. Generators understand `additionalProperties` better than `patternProperties`. */
  function mapOf(patterns: unknown): Json {
    const [[pattern, value] = ['', {}]] = entriesOf(patterns)
    return { additionalProperties: below(value), ...(pattern !== '^.*$' && { propertyNames: { pattern } }) }
  }

  return { reference, components }
}

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { BerthJson } from './berth-json.ts'

const PUBLISHED = path.resolve(import.meta.dirname, '../../../../docs/berth.schema.json')

/** What an editor shows is what a deployment says: our own word for it becomes the standard's. */
function published(): object {
  const schema: unknown = JSON.parse(JSON.stringify(BerthJson), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('expects' in value)) return value
    const { expects, ...rest } = value
    return { ...rest, description: expects }
  })
  const head = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'berth.json', additionalProperties: false }
  return { ...head, ...(schema as object) } // an object schema
}

it('the published schema is the one that deployments check', () => {
  expect(JSON.parse(readFileSync(PUBLISHED, 'utf8'))).toEqual(published())
})

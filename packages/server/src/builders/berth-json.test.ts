import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { BerthJson, readBerthJson } from './berth-json.ts'
import { projectAt, repositoryOf } from './project.ts'

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

const withArgs = (buildArgs: object) => () => readBerthJson(projectAt(repositoryOf({ 'berth.json': JSON.stringify({ buildArgs }) }), ''))

it.each(['BUILDKIT_SYNTAX', 'buildkit_syntax', 'BuildKit_Cache_Mount_NS'])('%s cannot be set: it would control the builder', (name) => {
  expect(withArgs({ [name]: 'x' })).toThrow(
    `buildArgs.${name} must be a map of at most 100 names (letters, digits, underscores, not BUILDKIT_…)`,
  )
})

it('build arguments have a total limit', () => {
  const args = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`A${index}`, 'x'.repeat(4094)]))
  expect(withArgs(args(4))).not.toThrow()
  expect(withArgs(args(5))).toThrow('buildArgs must be at most 16,384 characters of names and values together, but has 20,480.')
})

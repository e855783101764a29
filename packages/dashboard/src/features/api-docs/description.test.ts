import { describe, expect, it } from 'vitest'
import { curlFor, matches, type Operation, pathWith, typeOf } from './description.ts'

const create: Operation = {
  operationId: 'apps.create',
  method: 'POST',
  path: '/api/apps/create',
  summary: 'Create an app',
  description: '',
  tags: ['Apps'],
  security: [{ session: [] }, { bearer: [] }],
  parameters: [],
  responses: {},
}

describe('the API page', () => {
  it('finds operations by all words of a search', () => {
    expect(matches(create, '')).toBe(true)
    expect(matches(create, 'APPS create')).toBe(true)
    expect(matches(create, 'apps delete')).toBe(false)
  })

  it('fills in the path and the query, and leaves out empty values', () => {
    const parameters = [
      { name: 'id', in: 'path', required: true, schema: {} },
      { name: 'tail', in: 'query', required: false, schema: {} },
      { name: 'since', in: 'query', required: false, schema: {} },
    ] satisfies Operation['parameters']
    expect(pathWith({ path: '/api/x/{id}', parameters }, { id: 'a/b', tail: '5', since: '' })).toBe('/api/x/a%2Fb?tail=5')
  })

  it('writes a request as a command that a shell reads as one', () => {
    expect(curlFor(create, { origin: 'http://x', path: '/api/apps/create', body: '{"name":"it\'s"}' })).toBe(
      `curl -X POST 'http://x/api/apps/create' \\\n  -H "Authorization: Bearer $BERTH_TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d '{"name":"it'\\''s"}'`,
    )
  })

  it('says the type of a field in a few words', () => {
    expect(typeOf({ type: 'array', items: { $ref: '#/components/schemas/Domain' } })).toBe('Domain[]')
    expect(typeOf({ anyOf: [{ type: 'integer' }, { type: 'null' }] })).toBe('integer or null')
    expect(typeOf({ type: 'string', format: 'date-time' })).toBe('time')
  })
})

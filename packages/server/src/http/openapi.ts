import { ERRORS, type Operation, operations } from '@berth/contract'
import type { TObject } from 'typebox'
import { COOKIE_NAMES } from './session-cookie.ts'

type Json = Record<string, unknown>

/** Our own words (`expects`, `lenient`) serve the server; a reader of the description gets the first as text. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).filter(([key]) => key !== 'lenient' && !key.startsWith('~'))
  return Object.fromEntries(entries.map(([key, value]) => (key === 'expects' ? ['description', value] : [key, plain(value)])))
}

function parameters(place: 'path' | 'query', schema: TObject | undefined): Json[] {
  const required = new Set<string>(schema?.required ?? [])
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.has(name),
    schema: plain(property),
  }))
}

function answerOf(line: Operation): Json {
  if (line.shape === 'text') return { 'text/plain': { schema: { type: 'string' } } }
  if (line.shape === 'bare') return { 'application/json': { schema: plain(line.answer) } }
  const properties = {
    success: { const: true },
    ...(line.message === undefined ? {} : { message: { type: 'string' } }),
    data: plain(line.answer),
  }
  return { 'application/json': { schema: { type: 'object', required: Object.keys(properties), properties } } }
}

function describe(name: string, line: Operation): Json {
  const isOpen = line.may === 'anyone' || line.may === 'signed webhook'
  return {
    operationId: name,
    summary: line.summary,
    description: `Who may: ${line.may}.`,
    tags: [name.split('.')[0]],
    security: isOpen ? [] : [{ session: [] }, { bearer: [] }],
    parameters: [...parameters('path', line.params), ...parameters('query', line.query)],
    ...(line.body && { requestBody: { required: true, content: { 'application/json': { schema: plain(line.body) } } } }),
    responses: { 200: { description: 'Done', content: answerOf(line) }, default: { $ref: '#/components/responses/Failure' } },
  }
}

/** OpenAPI 3.1, made from the schemas that validate. */
export function openApi(version: string): Json {
  const paths: Record<string, Json> = {}
  for (const [name, line] of Object.entries(operations)) {
    const path = line.path.replaceAll(/:([A-Za-z]+)/g, '{$1}')
    paths[path] = { ...paths[path], [line.method.toLowerCase()]: describe(name, line) }
  }
  const failure = {
    type: 'object',
    required: ['success', 'error', 'code'],
    properties: {
      success: { const: false },
      error: { type: 'string', description: 'A sentence for a person' },
      code: { enum: Object.keys(ERRORS) },
      details: { type: 'array', items: { type: 'object', properties: { field: { type: 'string' }, message: { type: 'string' } } } },
    },
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Berth', version, description: 'Deploys applications as containers.' },
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: COOKIE_NAMES.plain, description: `Over TLS it is named ${COOKIE_NAMES.host}.` },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      responses: { Failure: { description: 'Refused or failed', content: { 'application/json': { schema: failure } } } },
    },
  }
}

import { queryOptions } from '@tanstack/react-query'

export type Schema = {
  $ref?: string
  type?: string
  description?: string
  enum?: string[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  format?: string
}
type Parameter = {
  name: string
  in: 'path' | 'query'
  required: boolean
  description?: string
  schema: Schema
  example?: string | number
}
type Content = Record<string, { schema: Schema; example?: unknown }>
type Described = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: object[]
  parameters: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { description?: string; content?: Content }>
}
/** What the server sends at /openapi.json. */
export type Description = {
  info: { version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
  'x-websockets': { path: string; summary: string; description: string }[]
  'x-errors': { code: string; status: number; message: string }[]
}
export type Operation = Described & { method: string; path: string }

export const description = queryOptions({
  queryKey: ['api-description'],
  queryFn: async () => {
    const response = await fetch('/openapi.json')
    if (!response.ok) throw new Error(`The server answered ${response.status}.`)
    return (await response.json()) as Description // our own server's description, which its tests check
  },
  staleTime: Number.POSITIVE_INFINITY,
})

export function operationsOf({ paths }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...described, path, method: method.toUpperCase() })),
  )
}

/** Every word must be found in the operation's name, path, summary or group. */
export function matches(operation: Pick<Operation, 'operationId' | 'path' | 'summary' | 'tags'>, search: string): boolean {
  const text = [operation.operationId, operation.path, operation.summary, ...operation.tags].join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function nameOf(schema: Schema): string | undefined {
  return schema.$ref?.split('/').at(-1)
}

/** The type of a field in a few words, for example "Application[]" or "string or null". */
export function typeOf(schema: Schema): string {
  const name = nameOf(schema)
  if (name !== undefined) return name
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.type === 'array') return `${schema.items ? typeOf(schema.items) : 'any'}[]`
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties)}`
  return schema.format === 'date-time' ? 'time' : (schema.type ?? 'any')
}

/** The name of the type that a link can lead to, also inside a list. */
export function linkedType(schema: Schema): string | undefined {
  return nameOf(schema) ?? (schema.items && nameOf(schema.items)) ?? schema.anyOf?.map(nameOf).find((name) => name !== undefined)
}

export function resolve(description: Description, schema: Schema | undefined): Schema {
  const name = schema && nameOf(schema)
  return (name === undefined ? schema : description.components.schemas[name]) ?? {}
}

/** The request as a command for a terminal. */
export function curlFor(operation: Operation, request: { origin: string; path: string; body: string | undefined }): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const parts = [`curl -X ${operation.method} ${quoted(request.origin + request.path)}`]
  if (operation.security.some((scheme) => 'bearer' in scheme)) parts.push('-H "Authorization: Bearer $BERTH_TOKEN"')
  if (request.body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(request.body)}`)
  return parts.join(' \\\n  ')
}

/** The path with its parameters filled in; a parameter without a value is left out of the query. */
export function pathWith(operation: Pick<Operation, 'path' | 'parameters'>, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams()
  let { path } = operation
  for (const parameter of operation.parameters) {
    const value = values[parameter.name] ?? ''
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value))
    else if (value !== '') query.set(parameter.name, value)
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

import { ERRORS, type ErrorCode, errorsOf, type Operation, type OperationName, operations } from '@berth/contract'
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { requestExampleOf } from './examples.ts'
import { openApi } from './openapi.ts'

type Schema = { $ref?: string; properties?: Record<string, Schema>; items?: Schema; type?: string }
type Content = Record<string, { schema: Schema }>
type Described = {
  operationId: string
  parameters: { name: string; in: string }[]
  requestBody?: { content: Content }
  responses: Record<string, { description?: string; content?: Content }>
}
type Document = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema & { enum?: string[] }> }
}

const document = openApi('1.2.3') as unknown as Document // the parts that these tests look at
const names = Object.keys(operations) as OperationName[] // exactly the keys of the list

function describedAs(name: OperationName): Described {
  const { path, method } = operations[name]
  const found = document.paths[path.replaceAll(/:([A-Za-z]+)/g, '{$1}')]?.[method.toLowerCase()]
  if (found === undefined) throw new Error(`${name} is not described`)
  return found
}

function jsonOf(content: Content | undefined): Schema | undefined {
  return content?.['application/json']?.schema
}

describe('the API description', () => {
  it.each(names)('%s has its own id, its parameters and its body', (name) => {
    const line: Operation = operations[name]
    const described = describedAs(name)
    expect(described.operationId).toBe(name)
    const fields = [line.params, line.query].flatMap((schema) => Object.keys(schema?.properties ?? {}))
    expect(described.parameters.map((parameter) => parameter.name)).toEqual(fields)
    expect(described.requestBody !== undefined).toBe(line.body !== undefined || line.may === 'signed webhook')
  })

  it.each(names)('%s takes and answers named types', (name) => {
    const line: Operation = operations[name]
    const { requestBody, responses } = describedAs(name)
    const answer = jsonOf(responses['200']?.content)
    const data = line.shape === 'bare' ? answer : answer?.properties?.['data']
    const types = [
      ...(line.body ? [jsonOf(requestBody?.content)] : []),
      ...(['text', 'file', 'redirect'].includes(line.shape) ? [] : [data?.type === 'array' ? data.items : data]),
    ]
    expect(types.filter((type) => !/^#\/components\/schemas\/\w+$/.test(type?.$ref ?? ''))).toEqual([])
  })

  it.each(names)('%s lists its 4xx codes under their statuses', (name) => {
    const { responses } = describedAs(name)
    const listed = Object.entries(responses).flatMap(
      ([status, { description = '' }]) =>
        [...description.matchAll(/^`(\w+)`:/gm)].map(([, code]) => ({ status: Number(status), code: code as ErrorCode })), // named in ERRORS, as compared below
    )
    expect(listed.map(({ code }) => code).toSorted()).toEqual([...errorsOf(name)].toSorted())
    for (const { status, code } of listed) expect(ERRORS[code].status).toBe(status)
  })

  it.each(names)('%s has an example that the server accepts', (name) => {
    const line: Operation = operations[name]
    const given = [line.params, line.query, line.body].filter((schema) => schema !== undefined)
    expect(given.flatMap((schema) => [...Compile(schema).Errors(requestExampleOf(schema))])).toEqual([])
  })

  it('describes each type once, and has the error codes as an enumeration', () => {
    const { schemas } = document.components
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['Application', 'Deployment', 'Domain', 'Project', 'User', 'Failure']))
    expect(schemas['ErrorCode']?.enum).toEqual(Object.keys(ERRORS))
    expect(schemas['Application']?.properties?.['status']).toEqual({ $ref: '#/components/schemas/AppStatus' })
    expect(JSON.stringify(document)).not.toMatch(/"lenient"|"expects"|"~|patternProperties/)
  })
})

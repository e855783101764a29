import { ERRORS, type ErrorCode, errorsOf, type Operation, type OperationName, operations, type Policy, sockets } from '@berth/contract'
import type { TObject, TSchema } from 'typebox'
import { COOKIE_NAMES } from '../authenticate.ts'
import { exampleOf, requestExampleOf } from './examples.ts'
import { createSchemas, type Json } from './schemas.ts'
import { TAGS, tagOf } from './tags.ts'

type Reference = (schema: TSchema) => Json

const INTRODUCTION = `Deploys apps as containers.

**Log in** with \`POST /api/auth/login\`. It sets a session cookie, which browsers send by themselves. Programs send the value of that cookie as
\`Authorization: Bearer <token>\`.

**Responses** are \`{"success": true, "data": …}\` with status 200. Failed requests answer \`{"success": false, "error": "…", "code": "…"}\`: the
error text is for people and may change; the code is for programs and does not.`

const WHO = {
  anyone: 'Open to everyone.',
  'signed webhook': 'Needs the signature of a git provider.',
  'deploy hook': "Needs the secret of the app's deploy hook.",
  'signed in': 'For every user.',
  admin: 'For admins and owners.',
  owner: 'For owners.',
  'member of the project': 'For members of the project.',
  'owner of the project': "For the project's owner and admins.",
  'member but not owner of the project': 'For members of the project except its owner.',
  'member of the app': "For members of the app's project.",
  'owner of the app': "Only for the app's owner.",
  'steward of the app': "For the app's owner, the project's owner and admins.",
  'member of the env variable': "For members of the app's project.",
  'member of the domain': "For members of the app's project.",
  'member of the deployment': "For members of the app's project.",
  'member of the container': "For members of the app's project.",
  'user of the git account': 'For the person the account belongs to, or the members of its project.',
  'reader of deliveries': "For members of the app's project, or users of the git account.",
  'member of the delivery': "For members of the app's project, and users of the git account.",
  'user of the registry': 'For the person it belongs to, or the members of its project.',
  'owner of the registry': 'For the person it belongs to, who saved it, or the owner of its project.',
  'owner of the git account': 'For the person the account belongs to, or the owner of its project.',
} as const satisfies Record<Policy, string>

const SECURITY = { anyone: [], 'signed webhook': [{ webhookSignature: [] }], 'deploy hook': [{ deployHook: [] }] } satisfies Partial<
  Record<Policy, Json[]>
>
const SIGNED_IN = [{ session: [] }, { bearer: [] }]

const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: COOKIE_NAMES.plain,
    description: `Set when you log in. Over https its name is ${COOKIE_NAMES.host}.`,
  },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The value of the session cookie.' },
  deployHook: { type: 'http', scheme: 'bearer', description: "The secret of the app's deploy hook." },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Hub-Signature-256',
    description: 'HMAC-SHA256 of the body with the secret of the webhook.',
  },
}

function parameters(place: 'path' | 'query', schema: TObject | undefined, reference: Reference): Json[] {
  const required = new Set<string>(schema?.required ?? [])
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = reference(property)
    const isRequired = place === 'path' || required.has(name)
    return { name, in: place, required: isRequired, description, schema: rest, ...(isRequired && { example: exampleOf(property, name) }) }
  })
}

function requestBody(line: Operation, reference: Reference): Json | undefined {
  if (line.may === 'signed webhook')
    return {
      required: true,
      description: 'The payload as the git provider sends it.',
      content: { 'application/json': { schema: { type: 'object' } } },
    }
  if (line.body === undefined) return undefined
  const required = line.may !== 'deploy hook' // a plain POST deploys
  return { required, content: { 'application/json': { schema: reference(line.body), example: requestExampleOf(line.body) } } }
}

function answerOf(line: Operation, reference: Reference): Json {
  if (line.shape === 'file') return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
  if (line.shape === 'text') return { 'text/plain': { schema: { type: 'string' } } }
  const data = reference(line.answer)
  const example = exampleOf(line.answer)
  if (line.shape === 'bare') return { 'application/json': { schema: data, example } }
  const message = line.message === undefined ? {} : { message: { type: 'string' } }
  const properties = { success: { type: 'boolean', const: true }, ...message, data }
  const whole = { success: true, ...(line.message !== undefined && { message: line.message }), data: example }
  return { 'application/json': { schema: { type: 'object', required: Object.keys(properties), properties }, example: whole } }
}

function success(line: Operation, reference: Reference): Json {
  if (line.shape !== 'redirect') return { 200: { description: 'Done', content: answerOf(line, reference) } }
  const location = { description: 'Where the browser is redirected.', schema: { type: 'string' } }
  return { 303: { description: 'Redirect', headers: { location } } }
}

/** One response for each status, with the codes that lead to it. */
function refusals(codes: readonly ErrorCode[]): Json {
  const byStatus = Object.groupBy(codes, (code) => ERRORS[code].status)
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, of]) => {
      return [status, { description: of.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'), content }]
    }),
  )
}

function describe(name: OperationName, reference: Reference): Json {
  const line: Operation = operations[name]
  const body = requestBody(line, reference)
  const security: Partial<Record<Policy, Json[]>> = SECURITY
  return {
    operationId: name,
    summary: line.summary,
    description: WHO[line.may],
    tags: [tagOf(name)],
    security: security[line.may] ?? SIGNED_IN,
    parameters: [...parameters('path', line.params, reference), ...parameters('query', line.query, reference)],
    ...(body && { requestBody: body }),
    responses: {
      ...success(line, reference),
      ...refusals(errorsOf(name)),
      default: { $ref: '#/components/responses/Failure' },
    },
  }
}

/** OpenAPI 3.1, made from the schemas that validate. */
export function openApi(version: string): Json {
  const { reference, components } = createSchemas()
  const paths: Record<string, Json> = {}
  // exactly the keys of the list
  for (const name of Object.keys(operations) as OperationName[]) {
    const { path, method } = operations[name]
    const address = path.replaceAll(/:([A-Za-z]+)/g, '{$1}')
    paths[address] = { ...paths[address], [method.toLowerCase()]: describe(name, reference) }
  }
  const failure = {
    description: 'Any other failure. `internal`, or a code with status 503: try again later.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
  }
  const streams = Object.values(sockets).map(({ path, summary, may }) => ({ path, summary, description: WHO[may] }))
  return {
    openapi: '3.1.0',
    info: { title: 'Berth', version, description: INTRODUCTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/', description: 'This server' }],
    tags: Object.values(TAGS),
    paths,
    components: { schemas: components, securitySchemes, responses: { Failure: failure } },
    'x-websockets': streams,
    'x-errors': Object.entries(ERRORS).map(([code, { status, message }]) => ({ code, status, message })),
  }
}

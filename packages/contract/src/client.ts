import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { Method } from './operation.ts'
import { type OperationName, type Operations, operations } from './operations.ts'

type Part<Name extends OperationName, Key extends 'params' | 'query' | 'body'> =
  Operations[Name] extends Record<Key, infer Schema extends TObject> ? Static<Schema> : unknown

/** The input of a call: path, query and body parameters in one flat object. */
export type Input<Name extends OperationName> = Part<Name, 'params'> & Part<Name, 'query'> & Part<Name, 'body'>
export type Answer<Name extends OperationName> = Operations[Name] extends { answer: infer Schema extends TSchema } ? Static<Schema> : never

/** A failed call: the code is stable, the message is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode | 'unreachable' | 'unknown'
  readonly details: readonly { field: string; message: string }[]
  constructor(status: number, failure: { error: string; code?: string; details?: { field: string; message: string }[] }) {
    super(failure.error)
    this.status = status
    this.code = (failure.code ?? 'unknown') as ErrorCode // the server only sends codes of the catalogue
    this.details = failure.details ?? []
  }
}

/** An aborted call ends with the reason of its signal, and the server stops its work. */
type CallOptions = { signal?: AbortSignal }

export type Call = <Name extends OperationName>(
  name: Name,
  ...input: unknown extends Input<Name> ? [] : [input: Input<Name>, options?: CallOptions]
) => Promise<Answer<Name>>

type ClientOptions = { baseUrl?: string; headers?: () => Record<string, string>; fetch?: typeof fetch }

/** Splits one flat input into the path, query and body of an operation. */
export function requestFor(name: OperationName, input: Record<string, unknown> = {}): { method: Method; path: string; body?: string } {
  const line: { method: Method; path: string; params?: TObject; query?: TObject; body?: TObject } = operations[name]
  let path: string = line.path
  for (const key of Object.keys(line.params?.properties ?? {})) path = path.replace(`:${key}`, encodeURIComponent(String(input[key])))
  const query = new URLSearchParams()
  for (const key of Object.keys(line.query?.properties ?? {}))
    if (input[key] !== undefined) query.set(key, `${input[key] as string | number | boolean}`)
  if (query.size > 0) path += `?${query.toString()}`
  if (!line.body) return { method: line.method, path }
  const body = Object.fromEntries(Object.keys(line.body.properties).map((key) => [key, input[key]]))
  return { method: line.method, path, body: JSON.stringify(body) }
}

type Sent = { name: OperationName; input: Record<string, unknown>; signal: AbortSignal | undefined }

async function send(options: ClientOptions, { name, input, signal }: Sent): Promise<Response> {
  const request = requestFor(name, input)
  const headers = { ...options.headers?.(), ...(request.body === undefined ? {} : { 'content-type': 'application/json' }) }
  try {
    return await (options.fetch ?? fetch)(`${options.baseUrl ?? ''}${request.path}`, {
      method: request.method,
      headers,
      credentials: 'same-origin',
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(signal && { signal }),
    })
  } catch {
    signal?.throwIfAborted()
    throw new ApiError(0, { error: 'Berth is not responding. Is the server running, and is the address correct?', code: 'unreachable' })
  }
}

/** Every operation of the contract as one typed function: `call('apps.get', { appId: 1 })`. */
export function createClient(options: ClientOptions = {}): Call {
  return async (name, ...[input, { signal } = {}]) => {
    const response = await send(options, { name, input: input ?? {}, signal })
    const line = operations[name]
    const text = await response.text()
    if (line.shape === 'text' && response.ok) return text as Answer<typeof name> // a text line answers text
    const body = parse(text)
    if (!response.ok) throw new ApiError(response.status, isFailure(body) ? body : { error: `The server answered ${response.status}.` })
    return (line.shape === 'bare' ? body : (body as { data: unknown }).data) as Answer<typeof name> // the contract's own server answers its schema
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isFailure(body: unknown): body is { error: string; code?: string; details?: { field: string; message: string }[] } {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
}

import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Call, createClient, ERRORS, type ErrorCode, errorsOf, type OperationName, operations, requestFor } from '@berth/contract'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Clean } from 'typebox/value'

/** The body of every answer but text: the envelope, or what a bare operation sends. */
export type Envelope = {
  success?: boolean
  data?: unknown
  message?: string
  error?: string
  code?: ErrorCode
  details?: { field: string; message: string }[]
}
export type RawAnswer = { status: number; headers: IncomingHttpHeaders; text: string; json: Envelope }
export type RawOptions = { cookie?: string; headers?: Record<string, string>; body?: string | Buffer | object }

/** One request, exactly as given: the path is sent unchanged, and only the cookie and the content type are added. */
export function createRaw(baseUrl: () => string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })

  async function raw(method: string, path: string, options: RawOptions = {}): Promise<RawAnswer> {
    const { hostname, port } = new URL(baseUrl())
    const { body } = options
    const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const headers = {
      ...(bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(bytes)) }),
      ...(options.cookie === undefined ? {} : { cookie: options.cookie }),
      ...options.headers,
    }
    const answer = Promise.withResolvers<RawAnswer>()
    const sent = request({ hostname, port, method, path, headers, agent }, (response) => {
      text(response).then((body) => {
        const json = envelopeOf(body)
        checkListed(operationsAt(method, path), json.code)
        answer.resolve({ status: response.statusCode ?? 0, headers: response.headers, text: body, json })
      }, answer.reject)
    })
    sent.on('error', answer.reject)
    sent.end(bytes)
    return await answer.promise
  }

  return { raw, close: () => agent.destroy() }
}

function envelopeOf(body: string): Envelope {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}

const ROUTES = Object.entries(operations).map(([name, line]) => ({
  name: name as OperationName, // exactly the keys of the list
  method: line.method,
  pattern: new RegExp(`^${line.path.replaceAll(/:[A-Za-z]+/g, '[^/]+')}$`),
}))

function operationsAt(method: string, path: string): OperationName[] {
  const address = path.split('?')[0] ?? ''
  return ROUTES.filter((route) => route.method === method && route.pattern.test(address)).map(({ name }) => name)
}

/** An operation may only fail with the codes that its description lists, with a malformed URL, or with a 5xx. */
function checkListed(names: readonly OperationName[], code: ErrorCode | undefined): void {
  if (names.length === 0 || code === undefined || code === 'invalid_path' || ERRORS[code].status >= 500) return
  if (names.some((name) => errorsOf(name).includes(code))) return
  throw new Error(`${names.join(', ')} answered ${code}, which packages/contract/src/operation-errors.ts does not list`)
}

const validators = new Map<OperationName, Validator>()

function validatorOf(name: OperationName): Validator {
  const known = validators.get(name)
  if (known) return known
  const fresh = Compile<TSchema>(operations[name].answer)
  validators.set(name, fresh)
  return fresh
}

/** A response has exactly the fields of the contract: an extra field could be a secret. */
export function checkAnswer(name: OperationName, body: string): void {
  const line = operations[name]
  if (line.shape === 'text') return
  const whole: unknown = JSON.parse(body)
  const answer = line.shape === 'bare' ? whole : (whole as Envelope).data // an envelope, by its shape
  const validator = validatorOf(name)
  if (!validator.Check(answer))
    throw new Error(
      `${name} answered what the contract does not say: ${JSON.stringify(validator.Errors(answer))} in ${body.slice(0, 2000)}`,
    )
  const clean = JSON.stringify(Clean(line.answer, structuredClone(answer)))
  if (clean !== JSON.stringify(answer)) throw new Error(`${name} answered more than the contract says: ${body.slice(0, 2000)}`)
}

/** The contract's own client, with every answer checked against the contract. */
export function createCheckedClient(baseUrl: () => string, cookie: () => string): Call {
  return async (name, ...input) => {
    let problem: unknown
    const checked: typeof fetch = async (address, init) => {
      const response = await fetch(address, init)
      const body = await response.text()
      try {
        if (response.ok) checkAnswer(name, body)
        else checkListed([name], envelopeOf(body).code)
      } catch (cause) {
        problem = cause // the client would treat it as a server that does not respond
        throw cause
      }
      return new Response(body, { status: response.status, headers: response.headers })
    }
    const client = createClient({ baseUrl: baseUrl(), headers: () => ({ cookie: cookie() }), fetch: checked })
    return await client(name, ...input).catch((cause: unknown) => {
      throw problem ?? cause
    })
  }
}

/** The session cookie of an answer, as a browser would send it back. */
export function cookieOf(answer: Pick<RawAnswer, 'headers'>): string {
  return answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

/** An operation by its name, without the client's types: for inputs that are wrong on purpose. */
export function rawRequestOf(name: OperationName, input: Record<string, unknown>): { method: string; path: string; body?: string } {
  return requestFor(name, input)
}

import { type IncomingHttpHeaders, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { parseForeignJson } from '../../lib/foreign-json.ts'

/** Why no certificate was issued; `message` is for the domain's owner. */
export class AcmeFailure extends Error {
  override readonly name = 'AcmeFailure'
  readonly isRateLimited: boolean
  readonly retryAfterMs: number | undefined
  /** What the authority said about its limit. */
  readonly detail: string
  constructor(
    message: string,
    options: { isRateLimited?: boolean; retryAfterMs?: number | undefined; detail?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.isRateLimited = options.isRateLimited ?? false
    this.retryAfterMs = options.retryAfterMs
    this.detail = options.detail ?? ''
  }
}

export type AcmeRequest = { url: string; method: string; headers: Record<string, string>; body: string | undefined }
export type AcmeResponse = { status: number; headers: IncomingHttpHeaders; body: string }

const MAX_BODY = 1_000_000

/**
 * One HTTP exchange with the authority, bounded in time and size. A 429 is thrown at once: the library would wait for as long as the
 * authority says, without any visible reason.
 */
export async function exchange(sent: AcmeRequest, options: { ca?: string | undefined; timeoutMs: number }): Promise<AcmeResponse> {
  const response = await send(sent, options)
  if (response.status === 429) {
    const detail = problemDetail(response.body) ?? 'too many requests'
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'])
    throw new AcmeFailure(`The certificate authority is rate limiting this server: ${detail}`, {
      isRateLimited: true,
      retryAfterMs,
      detail,
    })
  }
  return response
}

function send(sent: AcmeRequest, options: { ca?: string | undefined; timeoutMs: number }): Promise<AcmeResponse> {
  return new Promise((resolve, reject) => {
    const url = new URL(sent.url)
    const request = url.protocol === 'http:' ? requestHttp : requestHttps
    const signal = AbortSignal.timeout(options.timeoutMs)
    const ca = options.ca === undefined ? {} : { ca: options.ca }
    const req = request(url, { method: sent.method.toUpperCase(), headers: sent.headers, signal, ...ca }, (res) => {
      let body = ''
      res.setEncoding('utf8')
      res.on('data', (chunk: string) => {
        body += chunk
        if (body.length > MAX_BODY) req.destroy(new Error('the response is too large'))
      })
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }))
      res.on('error', reject)
    })
    req.on('error', (cause) =>
      reject(new AcmeFailure(`The certificate authority at ${url.host} cannot be reached: ${cause.message}`, { cause })),
    )
    req.end(sent.body)
  })
}

export function parseRetryAfter(value: string | undefined, now: () => number = Date.now): number | undefined {
  if (value === undefined) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now()
  return Number.isFinite(ms) && ms > 0 ? ms : undefined
}

/** The message in an RFC 7807 problem document. */
export function problemDetail(body: string): string | undefined {
  try {
    const parsed: unknown = parseForeignJson(body)
    if (typeof parsed === 'object' && parsed !== null && 'detail' in parsed && typeof parsed.detail === 'string') return parsed.detail
  } catch {
    return undefined // not JSON, so there is no message
  }
  return undefined
}

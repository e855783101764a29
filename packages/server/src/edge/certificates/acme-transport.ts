import { type IncomingHttpHeaders, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** Why no certificate came; `message` is a sentence for the domain's owner. */
export class AcmeFailure extends Error {
  override readonly name = 'AcmeFailure'
  readonly isRateLimited: boolean
  readonly retryAfterMs: number | undefined
  constructor(message: string, options: { isRateLimited?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.isRateLimited = options.isRateLimited ?? false
    this.retryAfterMs = options.retryAfterMs
  }
}

export type AcmeRequest = { url: string; method: string; headers: Record<string, string>; body: string | undefined }
export type AcmeResponse = { status: number; headers: IncomingHttpHeaders; body: string }

const MAX_BODY = 1_000_000

/**
 * One HTTP exchange with the authority, bounded in time and size. A 429 is thrown at once: the library would sit and wait
 * for as long as the authority says, and nobody would see why.
 */
export async function exchange(sent: AcmeRequest, options: { ca?: string | undefined; timeoutMs: number }): Promise<AcmeResponse> {
  const response = await send(sent, options)
  if (response.status === 429) {
    const detail = problemDetail(response.body) ?? 'too many requests'
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'])
    throw new AcmeFailure(`The certificate authority limits our requests: ${detail}`, { isRateLimited: true, retryAfterMs })
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
        if (body.length > MAX_BODY) req.destroy(new Error('the answer is too large'))
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

/** The sentence inside an RFC 7807 problem document. */
export function problemDetail(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null && 'detail' in parsed && typeof parsed.detail === 'string') return parsed.detail
  } catch {
    return undefined // not JSON: no sentence in it
  }
  return undefined
}

import type { IncomingHttpHeaders } from 'node:http'
import { HostError } from './errors.ts'

type Answered = { status: number; headers: IncomingHttpHeaders; text: string; hostName: string }

const LONGEST_WORDS = 200
const LONGEST_BODY = 16 * 1024

/** The error message for an unsuccessful response. */
export function failureOf({ status, headers, text, hostName }: Answered, now: Date): HostError {
  const said = wordsOf(text)
  const quoted = said === '' ? '' : ` It said: ${said}`
  const until = limitEnd(headers, now)
  // GitHub's secondary limits come without a time, and are no lack of permissions
  if (status === 429 || (status === 403 && (until !== undefined || /rate limit/i.test(said))))
    return new HostError('rate_limited', `${hostName} limits the number of requests${untilWords(until)}`, { until })
  // The second is GitHub's answer to a GitHub App that it does not know
  if (status === 401 || (status === 404 && said === 'Integration not found'))
    return new HostError(
      'unauthorized',
      `${hostName} does not accept the token: it is wrong, has expired or was revoked. Make a new one there and connect the account again.${quoted}`,
    )
  if (status === 403)
    return new HostError('forbidden', `${hostName} does not allow the token to do this. Add the missing permissions.${quoted}`)
  if (status === 404) return new HostError('missing', `${hostName} did not find it. Check the name, and that the token has access to it.`)
  if (status >= 300 && status < 400)
    return new HostError('refused', `${hostName} redirects to another address. Connect the account with its current address.`)
  if (status >= 500) return new HostError('unavailable', `${hostName} reports an error (${status}). Try again later.`)
  return new HostError('unavailable', `${hostName} rejected the request (${status}).${quoted}`)
}

const CERTIFICATE_CODES = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/
/** The host accepts none of the versions, ciphers and curves that Berth offers, or chooses another. */
const DISAGREEMENT = /^ERR_SSL_.*(?:HANDSHAKE_FAILURE|PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|INSUFFICIENT_SECURITY|WRONG_CIPHER|WRONG_CURVE)/

export function connectionFailure(cause: unknown, hostName: string): HostError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return new HostError('unavailable', whyNot(code, hostName), { cause })
}

function whyNot(code: string, hostName: string): string {
  if (CERTIFICATE_CODES.test(code))
    return `The certificate of ${hostName} cannot be verified (${code}). If your own authority issued it, name its file in BERTH_CA_FILE.`
  if (DISAGREEMENT.test(code))
    return `${hostName} offers no encryption that Berth accepts (${code}). It needs TLS 1.2 with ECDHE, or TLS 1.3, and one of the curves X25519, P-256 and P-384.`
  return `${hostName} does not answer. Check its address, or try again later.`
}

/** GitHub and Gitea call it `message`; GitLab also `error` and `error_description`. */
function wordsOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text.slice(0, LONGEST_BODY)) // longer texts are not meant for people
    if (typeof body !== 'object' || body === null) return ''
    const fields = body as Record<string, unknown> // an object has fields, of whatever kind
    const said = [fields['message'], fields['error_description'], fields['error']].find((value) => typeof value === 'string') ?? ''
    return String(said)
      .replaceAll(/\p{Cc}+/gu, ' ')
      .slice(0, LONGEST_WORDS)
  } catch {
    return ''
  }
}

/** GitHub and GitLab send the time, in seconds since 1970; all of them may send a delay. */
function limitEnd(headers: IncomingHttpHeaders, now: Date): Date | undefined {
  const numberIn = (name: string) => {
    const value = headers[name]
    return typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : undefined
  }
  const wait = numberIn('retry-after')
  if (wait !== undefined) return new Date(now.getTime() + wait * 1000)
  const left = numberIn('x-ratelimit-remaining') ?? numberIn('ratelimit-remaining')
  const reset = numberIn('x-ratelimit-reset') ?? numberIn('ratelimit-reset')
  return left === 0 && reset !== undefined ? new Date(reset * 1000) : undefined
}

function untilWords(until: Date | undefined): string {
  return until === undefined
    ? '. Try again in a few minutes.'
    : `, until ${until.toISOString().slice(0, 16).replace('T', ' ')} UTC. Try again then.`
}

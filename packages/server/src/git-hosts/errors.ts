/** Why a git host refused or failed. */
export type HostFailure =
  /** The token is wrong, expired or revoked. */
  | 'unauthorized'
  /** The token is valid but lacks the permission. */
  | 'forbidden'
  /** The installation of an app is suspended. */
  | 'suspended'
  /** It does not exist, or the token cannot see it. */
  | 'missing'
  | 'rate_limited'
  /** It does not respond, reports an error, or sends something unexpected. */
  | 'unavailable'
  /** We do not connect to that address. */
  | 'refused'

/** A failure of a git host, with a message that the user can act on. */
export class HostError extends Error {
  override readonly name = 'HostError'
  readonly failure: HostFailure
  /** When the host's rate limit ends, if it said so. */
  readonly until: Date | undefined
  constructor(failure: HostFailure, message: string, options: { until?: Date | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.failure = failure
    this.until = options.until
  }
  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return this.failure === 'rate_limited' || this.failure === 'unavailable'
  }
}

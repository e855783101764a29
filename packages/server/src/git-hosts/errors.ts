/** Why a git host did not do what was asked. */
export type HostFailure =
  /** The token is wrong, expired or revoked. */
  | 'unauthorized'
  /** The token is good and may not do this. */
  | 'forbidden'
  /** The installation of an app sleeps until its owner wakes it. */
  | 'suspended'
  /** There is no such thing, or the token may not see it. */
  | 'missing'
  | 'rate_limited'
  /** It does not answer, has a fault, or answers what nobody understands. */
  | 'unavailable'
  /** We do not talk to that address. */
  | 'refused'

/** A failure of a git host; the message is a sentence that its user can act on. */
export class HostError extends Error {
  override readonly name = 'HostError'
  readonly failure: HostFailure
  /** When a limit of the host ends, where it said so. */
  readonly until: Date | undefined
  constructor(failure: HostFailure, message: string, options: { until?: Date | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.failure = failure
    this.until = options.until
  }
}

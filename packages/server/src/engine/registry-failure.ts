import type { EngineError } from './api/errors.ts'

type Kind =
  /** The credentials are wrong or have expired, or there are none and some are needed. */
  | 'unauthorized'
  /** There is no such image or tag, or it is not for this platform. */
  | 'missing'
  | 'rate_limited'
  /** It does not answer, or has an error. */
  | 'unavailable'

/** Why a registry did not do what was asked. The message is a sentence that a person can act on. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
  readonly kind: Kind
  constructor(kind: Kind, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.kind = kind
  }
  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return this.kind === 'rate_limited' || this.kind === 'unavailable'
  }
}

type Asked = {
  readonly host: string
  readonly image?: string
  readonly hasCredentials: boolean
}

const LONGEST_WORDS = 300

/** Registries and the engine have no error codes for these, only texts. The first match counts. */
const SIGNS: readonly { readonly kind: Kind; readonly words: RegExp; readonly says: (asked: Asked) => string }[] = [
  {
    kind: 'rate_limited',
    words: /toomanyrequests|too many requests|rate limit|\b429\b/i,
    says: ({ host, hasCredentials }) =>
      `${host} limits the number of requests. Try again later${hasCredentials ? '' : ', or save credentials for it under Registries: limits are higher with an account'}.`,
  },
  {
    kind: 'unauthorized',
    words: /unauthorized|denied|no basic auth|incorrect username|authentication required|\b401\b|\b403\b/i,
    says: ({ host, image, hasCredentials }) => {
      if (!hasCredentials)
        return `${host} does not allow access to ${image ?? 'this image'} without credentials, or it does not exist. Check the name, or save credentials for ${host} under Registries.`
      if (image === undefined) return `${host} does not accept this user name and password. They are wrong, have expired or were revoked.`
      return `${host} does not allow access to ${image} with the saved credentials: they are wrong or have expired, have no access to it, or it does not exist. Check the name, or save new credentials under Registries.`
    },
  },
  {
    kind: 'missing',
    words: /no matching manifest|does not match the (?:specified|detected) (?:host )?platform/i,
    says: ({ image }) => `${image ?? 'The image'} is not available for the platform of this server. Choose a tag that is.`,
  },
  {
    kind: 'missing',
    words: /manifest unknown|not found|name unknown|name_unknown|repository does not exist|invalid reference/i,
    says: ({ host, image }) => `${host} has no image ${image ?? ''}. Check its name and its tag.`,
  },
  {
    kind: 'unavailable',
    words: /no such host|server misbehaving/i,
    says: ({ host }) => `The host ${host} could not be found. Check its spelling.`,
  },
  {
    kind: 'unavailable',
    words: /x509|certificate/i,
    says: ({ host }) =>
      `The certificate of ${host} cannot be verified. If your own authority issued it, put its certificate into /etc/docker/certs.d/${host}/ca.crt on the server.`,
  },
  {
    kind: 'unavailable',
    words: /connection refused|no route|timeout|timed out|deadline exceeded|EOF|reset by peer|unreachable|canceled while waiting/i,
    says: ({ host }) => `${host} does not answer. Check the address, or try again later.`,
  },
]

/** Turns the engine's error about a registry into a sentence. */
export function registryFailure(cause: EngineError, asked: Asked): RegistryError {
  const sign = SIGNS.find(({ words }) => words.test(cause.message))
  if (sign !== undefined) return new RegistryError(sign.kind, sign.says(asked), { cause })
  const words = cause.message.replaceAll(/\p{Cc}+/gu, ' ').slice(0, LONGEST_WORDS)
  return new RegistryError('unavailable', `${asked.host} reported a problem: ${words}`, { cause })
}

/** Undefined if the image is made for this platform, or does not say for which. */
export function platformProblem(image: string, platforms: readonly string[], platform: string): RegistryError | undefined {
  if (platforms.length === 0 || platforms.includes(platform)) return undefined
  return new RegistryError(
    'missing',
    `${image} is available for ${platforms.slice(0, 5).join(', ').slice(0, 200)}, but this server needs ${platform}. Choose a tag that has it.`,
  )
}

import { EngineError } from './api/errors.ts'
import { field, items, text } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { type ImageParts, imageParts } from './image-reference.ts'
import { registryFailure } from './registry-failure.ts'

export type RegistryCredentials = { readonly host: string; readonly username: string; readonly password: string }
/** `digest` is that of the list of platforms, where there is one. */
export type ResolvedImage = ImageParts & { readonly digest: string; readonly platforms: readonly string[] }

const ANSWER_MS = 30_000

/**
 * What the engine asks registries for us: it has the authorities, mirrors and proxies that its pulls use, so what works here works there.
 */
export function createRegistryCalls({ transport }: { transport: Transport }) {
  /** Throws a RegistryError if they are not accepted. */
  async function login(credentials: RegistryCredentials, signal?: AbortSignal): Promise<void> {
    const body = authOf(credentials)
    try {
      await transport.json({ method: 'POST', path: '/auth', body, signal, timeoutMs: ANSWER_MS })
    } catch (cause) {
      throw cause instanceof EngineError ? registryFailure(cause, { host: credentials.host, hasCredentials: true }) : cause
    }
  }

  /** What the tag is at now, seen with these credentials and no others. */
  async function resolve(name: string, credentials: RegistryCredentials | undefined, signal?: AbortSignal): Promise<ResolvedImage> {
    const parts = imageParts(name)
    if (parts === null) throw new Error(`not an image: ${name}`)
    const asked = parts.digest === '' ? `${parts.repository}:${parts.tag}` : `${parts.repository}@${parts.digest}`
    try {
      const path = `/distribution/${asked}/json`
      const found = await transport.json({ method: 'GET', path, headers: authHeader(credentials), signal, timeoutMs: ANSWER_MS })
      const digest = text(field(found, 'Descriptor', 'digest'))
      if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new EngineError(500, 'the registry gave no digest')
      const platforms = items(field(found, 'Platforms')).map((each) => `${text(field(each, 'os'))}/${text(field(each, 'architecture'))}`)
      return { ...parts, digest, platforms: [...new Set(platforms)].filter((each) => !/^\/|\/$|unknown/.test(each)) }
    } catch (cause) {
      throw cause instanceof EngineError
        ? registryFailure(cause, { host: parts.host, image: name, hasCredentials: credentials !== undefined })
        : cause
    }
  }

  return { login, resolve }
}

function authOf({ host, username, password }: RegistryCredentials) {
  return { username, password, serveraddress: host === 'docker.io' ? 'https://index.docker.io/v1/' : host }
}

/** The engine reads base64 with the letters for URLs and with padding. What it cannot read it takes for no credentials, without a word. */
export function authHeader(credentials: RegistryCredentials | undefined): Record<string, string> {
  if (credentials === undefined) return {}
  const encoded = Buffer.from(JSON.stringify(authOf(credentials))).toString('base64')
  return { 'x-registry-auth': encoded.replaceAll('+', '-').replaceAll('/', '_') }
}

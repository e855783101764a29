import { EngineError } from '../api/errors.ts'
import { field, jsonLines, text } from '../api/json.ts'
import type { Transport } from '../api/transport.ts'
import type { Images } from '../images.ts'
import { authHeader, type RegistryCredentials } from '../registry.ts'

/** The registry that all servers reach. `prefix` is the path of the images in it, such as `registry.example.com/berth`. */
export type SharedRegistry = { readonly prefix: string; readonly credentials: RegistryCredentials | undefined }
type Deps = { transport: Transport; images: Pick<Images, 'tag' | 'remove' | 'inspect'>; registry: SharedRegistry }

const PUSH_MS = 600_000
const DIGEST = /^sha256:[0-9a-f]{64}$/
const MOST_KNOWN = 500

/** Puts images of this engine into the registry, so that other servers can pull them by their digest. */
export function createPublishedImages({ transport, images, registry }: Deps) {
  /** The published name of each image, by the id of the image: a name can later belong to another image. */
  const known = new Map<string, string>()

  async function push(name: string, credentials: RegistryCredentials | undefined, signal?: AbortSignal): Promise<string> {
    const colon = name.lastIndexOf(':')
    const path = `/images/${name.slice(0, colon).split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':')}/push`
    const anonymous = { 'x-registry-auth': Buffer.from('{}').toString('base64') } // the engine wants the header
    const headers = credentials === undefined ? anonymous : authHeader(credentials)
    const query = { tag: name.slice(colon + 1) }
    const answer = await transport.stream({ method: 'POST', path, query, headers, signal, timeoutMs: PUSH_MS })
    let digest = ''
    for await (const message of jsonLines(answer.chunks)) {
      const failure = text(field(message, 'errorDetail', 'message')) || text(field(message, 'error'))
      if (failure !== '') throw new EngineError(500, `The image could not be pushed to the registry of the servers: ${failure}`)
      digest = text(field(message, 'aux', 'Digest')) || digest
    }
    if (!DIGEST.test(digest)) throw new EngineError(500, 'The registry of the servers gave no digest for the image.')
    return digest
  }

  async function pushAs(name: string, image: string, signal?: AbortSignal): Promise<string> {
    await images.tag(image, name, signal)
    try {
      return await push(name, registry.credentials, signal)
    } finally {
      await images.remove(name)
    }
  }

  /** The name in the registry is as hard to guess as the local one (decision 7). The local one stays. */
  return async function published(image: string, signal?: AbortSignal): Promise<string> {
    const found = await images.inspect(image, signal)
    if (found === null) throw new EngineError(404, 'The image of the release is not on this server any more.')
    const seen = known.get(found.id)
    if (seen !== undefined) return seen
    const repository = `${registry.prefix}/${image.slice(0, image.lastIndexOf(':')).replace(/^berth\//, '')}`
    const name = `${repository}:release`
    const digest = await pushAs(name, image, signal)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(found.id, `${repository}@${digest}`)
    return `${repository}@${digest}`
  }
}

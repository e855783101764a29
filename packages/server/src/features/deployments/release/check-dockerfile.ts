import { SpecRefused } from '../../../engine/api/errors.ts'
import { type DockerfileReading, type Fetch, LONGEST_DOCKERFILE_KIB, readDockerfile } from '../../../engine/build/dockerfile.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { EngineFacts } from '../../../engine/facts.ts'
import { parseImageReference, registryAddress } from '../../../engine/image-reference.ts'
import type { RegistryCredentials } from '../../../engine/registry.ts'
import { RegistryError } from '../../../engine/registry-failure.ts'
import { hasVulnerableBuilder } from '../../../engine/vulnerable-builder.ts'
import { SourceRefused } from '../../../git/errors.ts'
import { readTextUpTo } from '../../../git/read-text.ts'
import type { SourcePolicy } from '../../../git/source-policy.ts'
import { createCheckBases } from './check-bases.ts'
import { refuseRegistries } from './check-registries.ts'
import type { RefuseImage, RefuseOthersDigest } from './pull-images.ts'
import type { InPullPlace } from './pull-places.ts'

type Deps = {
  policy: Pick<SourcePolicy, 'admitHost'>
  /** Whether firewall rules keep the engine's own downloads away from this machine and private networks. */
  hasEngineFirewall: () => boolean
  engine: Pick<Engine, 'facts' | 'baseImages' | 'pullPrivately'>
  refuseOthersDigest: RefuseOthersDigest
  refuseImage: RefuseImage
  inPullPlace: InPullPlace
}
type Options = {
  readonly projectId: number
  /** Who set the source that the Dockerfile is in. */
  readonly setBy: number | null
  readonly signal: AbortSignal
  readonly buildArgs?: Readonly<Record<string, string>>
  readonly onActivity?: () => void
  /** For base images at registries that need them. */
  readonly credentials?: readonly RegistryCredentials[]
}

/**
 * Checks what a build would download and mount, and how long its lines become, before it starts. The checked images are kept until the
 * result is disposed, after the build. A Dockerfile is given as its path or as its text.
 */
export type CheckDockerfile = (dockerfile: string | { readonly text: string }, options: Options) => Promise<AsyncDisposable>

/** The registry is asked about each of them. */
const MOST_IMAGES = 200
/** A name server is asked about each of them. */
const MOST_FETCHES = 500
/** Docker's own frontend. Any other could download anything from the engine's network. */
const OFFICIAL = /^(?:docker\.io\/)?docker\/dockerfile(?::(?:latest|labs|1(?:\.\d+){0,2}(?:-labs)?))?(?:@sha256:[0-9a-f]{64})?$/

/**
 * The engine downloads what `ADD` names from the machine's own network, outside the rules for apps and builds. If there is a firewall
 * around the engine, it enforces the rules and this only gives a better error; if not, anything that cannot be checked is refused.
 */
export function createCheckDockerfile(deps: Deps): CheckDockerfile {
  const { policy, hasEngineFirewall, engine, refuseOthersDigest, refuseImage, inPullPlace } = deps
  const checkBases = createCheckBases({ ...engine, inPullPlace, refuse })

  async function check(fetch: Fetch, signal: AbortSignal): Promise<void> {
    const where = `Line ${fetch.line} of the Dockerfile`
    if (fetch.kind === 'image') return await checkHost(registryOf(fetch.text), `${where} uses ${fetch.text}, and that`, signal)
    if (fetch.kind === 'git') refuse(`${where} adds a git repository (${fetch.text}). Clone it in a RUN step instead.`)
    if (!hasEngineFirewall())
      refuse(
        `${where} adds ${fetch.text} from the network. That is not possible on this server, because nothing limits where its engine may download from. Download it in a RUN step instead, for example with wget.`,
      )
    if (fetch.kind === 'url') await checkHost(hostOf(fetch.text), `${where} adds ${fetch.text}, and that`, signal)
  }

  async function checkHost(host: { host: string; port: number } | null, what: string, signal: AbortSignal): Promise<void> {
    if (host === null) return
    try {
      await policy.admitHost(host, { what, signal })
    } catch (cause) {
      if (cause instanceof SourceRefused) refuse(cause.message)
      signal.throwIfAborted()
      // If the name does not resolve, the build reports it.
    }
  }

  /** For builders with known vulnerabilities. */
  async function checkForVulnerableBuilder(
    { bases, cacheSubPaths }: DockerfileReading,
    facts: EngineFacts,
    options: Options,
  ): Promise<AsyncDisposable> {
    for (const mount of cacheSubPaths)
      refuse(
        `Line ${mount.line} of the Dockerfile mounts a path within a cache (${mount.text.slice(0, 200)}). ${vulnerabilityWords(facts.version)}`,
      )
    for (const { line, text, image } of bases)
      await checkHost(registryOf(image ?? ''), `Line ${line} of the Dockerfile uses ${text}, and that`, options.signal)
    return await checkBases(bases, { ...options, platform: facts.platform })
  }

  return async (dockerfile, options) => {
    const { signal, buildArgs = {} } = options
    const read = typeof dockerfile === 'string' ? await readTextUpTo(dockerfile, LONGEST_DOCKERFILE_KIB * 1024) : dockerfile.text
    if (read === null || read.length > LONGEST_DOCKERFILE_KIB * 1024) refuse(`The Dockerfile is longer than ${LONGEST_DOCKERFILE_KIB} KiB.`)
    const text: string = read
    const facts = await engine.facts(signal)
    const reading = readDockerfile(text, { buildArgs, platform: facts.platform })
    const { frontend, fetches, tooLong } = reading
    if (tooLong !== null) refuse(tooLong)
    if (frontend !== null && !OFFICIAL.test(frontend))
      refuse(
        `The Dockerfile asks to be parsed by "${frontend.slice(0, 100)}" (syntax=). Only docker/dockerfile:1 is allowed here. Remove the line, or write # syntax=docker/dockerfile:1.`,
      )
    const images = [...reading.bases.map(({ image }) => image ?? ''), ...namesWithDigest(text)]
    const named = new Set(images)
    if (named.size > MOST_IMAGES) refuse(`The Dockerfile names more than ${MOST_IMAGES} images.`)
    if (new Set(fetches.map((fetch) => fetch.text)).size > MOST_FETCHES)
      refuse(`The Dockerfile takes files from more than ${MOST_FETCHES} addresses, images and stages.`)
    for (const fetch of fetches) await check(fetch, signal)
    await refuseRegistries(reading, { refuseImage, setBy: options.setBy })
    for (const image of named) await refuseOthersDigest(image, options.projectId, signal).catch(asRefusal)
    return hasVulnerableBuilder(facts.version) ? await checkForVulnerableBuilder(reading, facts, options) : new AsyncDisposableStack()
  }
}

/** Decision 9. */
function vulnerabilityWords(version: string): string {
  const engine = version === '' ? 'of an unknown version' : `Docker ${version}`
  return `That is not possible on this server, because its engine (${engine}) has a known vulnerability there. Mount the whole cache, without source, or update the engine to Docker 25.0.2 or newer.`
}

/** The images with a digest anywhere in the text: in FROM, COPY --from or RUN --mount, also in quotes, over several lines, or as the default of a variable. */
function namesWithDigest(text: string): string[] {
  const plain = text.replaceAll(/[\\`]\r?\n/g, '').replaceAll(/["'\\]/g, '')
  return plain.split(/[^\w.:/@-]|:[-+?]/).filter((word) => word.includes('@sha256:'))
}

function asRefusal(cause: unknown): never {
  throw cause instanceof RegistryError ? new SpecRefused('Dockerfile', cause.message) : cause
}

function refuse(message: string): never {
  throw new SpecRefused('Dockerfile', message)
}

function hostOf(url: string): { host: string; port: number } | null {
  const plain = url.replace(/\$.*/s, '')
  if (!URL.canParse(plain)) return null
  const { protocol, hostname, port } = new URL(plain)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) }
}

function registryOf(image: string): { host: string; port: number } | null {
  if (image.includes('$')) return null
  return registryAddress(parseImageReference(image)?.registry ?? 'docker.io')
}

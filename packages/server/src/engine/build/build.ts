import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { BuilderSilent, SpecRefused } from '../api/errors.ts'
import type { Transport } from '../api/transport.ts'
import type { Downloads } from '../downloads/downloads.ts'
import { type ImageDetails, type Images, MOST_SETTINGS_BYTES, MOST_VOLUMES } from '../images.ts'
import type { RegistryCredentials } from '../registry.ts'
import { type BuildFollower, followBuild } from './follow.ts'
import { createFollowDownloads } from './follow-downloads.ts'
import { BUILD_CGROUP, type BuildLimiter } from './limits.ts'
import { openBuildSession, type SessionAnswers } from './session.ts'

export type BuildRequest = BuildFollower & {
  readonly contextTar: Readable
  readonly dockerfile: string
  /** The name of the image. The build itself does not know it. */
  readonly tag: string
  readonly labels: Readonly<Record<string, string>>
  readonly memoryBytes?: number
  readonly cpus?: number
  /** Processes and threads of all builds together. */
  readonly processes?: number
  readonly target?: string
  /** Every step is run again; what `--mount=type=cache` keeps stays. */
  readonly withoutCache?: boolean
  /** The scope within which builds share the cache. Default: everybody. */
  readonly cacheScope?: string
  /** Build arguments stay readable in the image's history: never put a secret or an app's environment here. */
  readonly buildArgs?: Readonly<Record<string, string>>
  /** By the name that a step mounts them with. Never in the image, its history or the cache. */
  readonly secrets?: ReadonlyMap<string, Buffer>
  /** For base images at registries that want them. */
  readonly credentials?: readonly RegistryCredentials[]
}

/** A build with the limits that apply to all builds of apps. */
export type LimitedBuild = (request: Omit<BuildRequest, 'memoryBytes' | 'cpus' | 'processes'>) => Promise<{ imageId: string }>

const ASK_AGAIN_MS = 500
const LET_GO_MS = 10_000

type Deps = {
  transport: Transport
  images: Pick<Images, 'tag' | 'inspect' | 'remove'>
  downloads: Downloads
  limits: BuildLimiter
  cgroupDriver: () => Promise<string>
  /** A working builder accepts the context and then reports progress at once, whatever there is to build. */
  firstWordMs?: number
}

/** Image builds with BuildKit over the engine's own API. A build ends with our connection. */
export function createBuilder(deps: Deps) {
  const { transport, images, downloads, limits, cgroupDriver, firstWordMs = 60_000 } = deps

  return async function build(request: BuildRequest): Promise<{ imageId: string }> {
    const { memoryBytes, cpus, processes } = request
    using download = downloads.follow('build', request.signal)
    const { signal } = download
    const capped = memoryBytes !== undefined
    const [driver] = capped ? await Promise.all([cgroupDriver(), limits.apply({ memoryBytes, cpus, processes })]) : []
    // An engine that uses systemd expects its own slice here, and fails the build otherwise.
    const cgroupparent = driver === 'cgroupfs' ? BUILD_CGROUP : undefined
    const buildid = randomUUID()
    signal.throwIfAborted() // here, because the signal is observed from the next line on
    using connection = cutWhen({ signal, firstWordMs, askToEnd: (ended) => void cancel(transport, buildid, ended) })
    const sent = () => {
      connection.sent()
      request.onActivity?.()
    }
    const upload = Readable.from(noticing(request.contextTar, sent), { objectMode: false })
    const answers = answersOf(request)
    try {
      await using session = answers === null ? null : await openBuildSession(transport, answers, connection.signal)
      const query = { ...queryOf(request), cgroupparent, buildid, session: session?.id }
      const timeoutMs = Number.POSITIVE_INFINITY
      const answer = await transport.stream({ method: 'POST', path: '/build', query, upload, signal: connection.signal, timeoutMs })
      const imageId = await followBuild(answer.chunks, request, { heard: connection.heard, parts: createFollowDownloads(download) })
      signal.throwIfAborted() // it may have succeeded before the engine received the cancel
      await refuseLongSettings(images, imageId, signal)
      // Not by the build itself, which would print the name to the log.
      await images.tag(imageId, request.tag, signal)
      return { imageId }
    } catch (cause) {
      signal.throwIfAborted() // the engine's error for a cancelled build is not the real reason
      throw cause
    }
  }
}

/** Null if the build has nothing to ask for. A step that wants a secret which is not there runs without it, unless it says `required`. */
function answersOf(request: BuildRequest): SessionAnswers | null {
  const { credentials = [], secrets } = request
  if (credentials.length === 0 && secrets === undefined) return null
  const secretOf = (name: string) => {
    const found = secrets?.get(name)
    if (found === undefined)
      request.onLine(`The build asks for the secret "${name.slice(0, 100)}", which this app does not have.`, 'stderr')
    return found
  }
  return { credentials, secretOf }
}

async function refuseLongSettings(images: Pick<Images, 'inspect' | 'remove'>, imageId: string, signal: AbortSignal): Promise<void> {
  const image = await images.inspect(imageId, signal)
  const why = image === null ? undefined : settingsProblem(image)
  if (image === null || why === undefined) return
  if (image.tags.length === 0) await images.remove(imageId, signal)
  throw new SpecRefused('Dockerfile', why)
}

function settingsProblem({ settingsBytes, volumePaths }: Pick<ImageDetails, 'settingsBytes' | 'volumePaths'>): string | undefined {
  if (settingsBytes > MOST_SETTINGS_BYTES)
    return `The image has ${Math.ceil(settingsBytes / 1024)} KiB of labels, variables and commands, but only 64 KiB are allowed. Move long text into files.`
  if (volumePaths.length > MOST_VOLUMES)
    return `The image declares ${volumePaths.length} volumes, but only ${MOST_VOLUMES} are allowed. Remove VOLUME lines from the Dockerfile.`
  return undefined
}

type Cut = { signal: AbortSignal; firstWordMs: number; askToEnd: (ended: AbortSignal) => void }

/**
 * When to close the connection of a build: after a cancel, once the engine has had time to end it, or when the engine accepted the build
 * and does nothing. We wait for the end, because BuildKit's scheduler can deadlock, for all builds of the machine, when steps are started
 * again while the same cancelled steps are still ending.
 */
function cutWhen({ signal, firstWordMs, askToEnd }: Cut) {
  const cut = new AbortController()
  const ended = new AbortController()
  const unheard = setTimeout(() => cut.abort(new BuilderSilent(firstWordMs)), firstWordMs)
  let isHeard = false
  let letGo: NodeJS.Timeout | undefined
  const onAbort = () => {
    askToEnd(ended.signal)
    letGo = setTimeout(() => cut.abort(signal.reason), LET_GO_MS)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    signal: cut.signal,
    sent: () => void (isHeard || unheard.refresh()),
    heard: () => {
      isHeard = true
      clearTimeout(unheard)
    },
    [Symbol.dispose]() {
      signal.removeEventListener('abort', onAbort)
      for (const timer of [unheard, letGo]) clearTimeout(timer)
      ended.abort()
      cut.abort()
    },
  }
}

async function* noticing(upload: Readable, sent: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of upload as AsyncIterable<Buffer>) {
    sent()
    yield chunk
  }
}

/** Repeats the cancel until the build has ended, because the engine only knows its id once it has started it. */
async function cancel(transport: Transport, buildid: string, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    // An engine that does not answer now may do so next time; if it never does, the connection is cut.
    await transport.json({ method: 'POST', path: '/build/cancel', query: { id: buildid }, signal: ended }).catch(() => undefined)
    await sleep(ASK_AGAIN_MS, undefined, { signal: ended }).catch(() => undefined)
  }
}

function queryOf(request: BuildRequest): Record<string, string | number | boolean | undefined> {
  return {
    version: '2',
    dockerfile: request.dockerfile,
    labels: JSON.stringify(request.labels),
    rm: true,
    forcerm: true,
    memory: request.memoryBytes,
    memswap: request.memoryBytes,
    target: request.target,
    nocache: request.withoutCache,
    ...cacheQuery(request),
  }
}

/**
 * BuildKit shares the result of a step, and the directories of its `--mount=type=cache`, with every later build that has the same step.
 * The scope makes the steps of one project differ from all others: by a namespace for those directories, and by an extra entry in the
 * /etc/hosts of the steps, which is part of the cache key of each `RUN`.
 * Arguments that control the builder are left out: one of them names the program that reads the Dockerfile, which would bypass our checks.
 */
function cacheQuery({ buildArgs, cacheScope }: BuildRequest): Record<string, string | undefined> {
  const own = Object.entries(buildArgs ?? {}).filter(([name]) => !/^BUILDKIT_/i.test(name))
  const args = { ...Object.fromEntries(own), ...(cacheScope !== undefined && { BUILDKIT_CACHE_MOUNT_NS: cacheScope }) }
  return {
    buildargs: JSON.stringify(args),
    extrahosts: cacheScope === undefined ? undefined : `${cacheScope}.invalid:0.0.0.0`,
  }
}
